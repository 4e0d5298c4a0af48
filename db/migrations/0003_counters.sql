ALTER TABLE "researches" ADD COLUMN "admitted" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "researches" ADD COLUMN "tokens" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "researches" ADD COLUMN "usd" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "researches" ADD COLUMN "last_change" jsonb;--> statement-breakpoint
UPDATE "researches" SET "admitted" = "counted"."admitted" FROM (
  SELECT "research_id", jsonb_object_agg("kind", "n") AS "admitted" FROM (
    SELECT "research_id", "kind", count(*)::int AS "n" FROM "trials" GROUP BY "research_id", "kind") AS "kinds"
  GROUP BY "research_id") AS "counted"
WHERE "researches"."id" = "counted"."research_id";--> statement-breakpoint
UPDATE "researches" SET "tokens" = "summed"."tokens", "usd" = "summed"."usd" FROM (
  SELECT "research_id", coalesce(sum(coalesce("tokens_in", 0) + coalesce("tokens_out", 0)), 0)::float8 AS "tokens",
    coalesce(sum("usd"), 0)::float8 AS "usd"
  FROM "calls" JOIN "trials" ON "trials"."id" = "calls"."trial_id" GROUP BY "research_id") AS "summed"
WHERE "researches"."id" = "summed"."research_id";
