CREATE TABLE "observations" (
	"research_id" text NOT NULL,
	"task_hash" text NOT NULL,
	"candidate_id" text NOT NULL,
	"knobs" jsonb,
	"proposer" text,
	"seq" integer,
	"value" double precision,
	"runs" integer DEFAULT 0 NOT NULL,
	"outcome" text,
	"seconds" double precision DEFAULT 0 NOT NULL,
	"usd" double precision DEFAULT 0 NOT NULL,
	CONSTRAINT "observations_research_id_task_hash_candidate_id_pk" PRIMARY KEY("research_id","task_hash","candidate_id")
);
--> statement-breakpoint
ALTER TABLE "observations" ADD CONSTRAINT "observations_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "observations_latest" ON "observations" USING btree ("research_id","task_hash","seq") WHERE "observations"."seq" is not null;--> statement-breakpoint
CREATE INDEX "observations_best" ON "observations" USING btree ("research_id","task_hash","value") WHERE "observations"."value" is not null;--> statement-breakpoint
CREATE INDEX "observations_unread" ON "observations" USING btree ("research_id","task_hash","seq") WHERE "observations"."knobs" is null;--> statement-breakpoint
-- What candidates of an older version came to. Their knobs stay unread: a research reads them from files when it goes on.
WITH "spent" AS (SELECT "trial_id", sum("usd") AS "usd" FROM "calls" GROUP BY "trial_id"),
"ran" AS (
	SELECT "trials".*, "spent"."usd" AS "usd", "status" IS NOT NULL AS "over", "status" = 'completed' AND "value" IS NOT NULL AS "scored"
	FROM "trials" LEFT JOIN "spent" ON "spent"."trial_id" = "trials"."id"
	WHERE "candidate_id" IS NOT NULL AND "status" IS DISTINCT FROM 'cached'),
"made" AS (
	SELECT "research_id", "task_hash", "candidate_id",
		(array_agg("proposer" ORDER BY "n") FILTER (WHERE "kind" IN ('search', 'injected')))[1] AS "proposer",
		bool_or("over") AS "over", min("ended_at") AS "first", min("n") AS "n",
		-- A mean of several values by way of numeric, which neither overflows nor underflows.
		CASE WHEN count(*) FILTER (WHERE "scored") = 1 THEN min("value") FILTER (WHERE "scored")
			ELSE coalesce(
				(avg("value"::numeric) FILTER (WHERE "scored" AND ("value" = 0 OR abs("value") BETWEEN 1e-300 AND 1e300)))::float8,
				min("value") FILTER (WHERE "scored")) END AS "value",
		(count(*) FILTER (WHERE "scored"))::int AS "runs",
		coalesce((array_agg("status" ORDER BY "ended_at" DESC, "n" DESC) FILTER (WHERE "over" AND "status" <> 'lost'))[1], min("status")) AS "outcome",
		coalesce(sum("seconds") FILTER (WHERE "over"), 0) AS "seconds", coalesce(sum("usd") FILTER (WHERE "over"), 0) AS "usd"
	FROM "ran" GROUP BY "research_id", "task_hash", "candidate_id")
INSERT INTO "observations" ("research_id", "task_hash", "candidate_id", "proposer", "seq", "value", "runs", "outcome", "seconds", "usd")
SELECT "research_id", "task_hash", "candidate_id", "proposer",
	CASE WHEN "over" THEN row_number() OVER (PARTITION BY "research_id", "task_hash" ORDER BY NOT "over", "first", "n") END,
	"value", "runs", "outcome", "seconds", "usd"
FROM "made";
