ALTER TABLE "researches" ADD COLUMN "slot_seconds" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "researches" ADD COLUMN "refunded" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "researches" ADD COLUMN "without_new" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "researches" SET "slot_seconds" = "ended"."slot_seconds", "refunded" = "ended"."refunded" FROM (
  SELECT "research_id", sum("slot_seconds") AS "slot_seconds",
    coalesce(jsonb_object_agg("kind", "refunded") FILTER (WHERE "refunded" > 0), '{}'::jsonb) AS "refunded" FROM (
    SELECT "research_id", "kind", coalesce(sum("seconds"), 0)::float8 AS "slot_seconds",
      (count(*) FILTER (WHERE "status" IN ('cached', 'rejected')))::int AS "refunded"
    FROM "trials" WHERE "status" IS NOT NULL GROUP BY "research_id", "kind") AS "kinds"
  GROUP BY "research_id") AS "ended"
WHERE "researches"."id" = "ended"."research_id";
