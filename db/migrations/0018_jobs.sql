CREATE TABLE "jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"research_id" text,
	"task_hash" text,
	"pool" text NOT NULL,
	"priority" integer NOT NULL,
	"spec" jsonb NOT NULL,
	"opened_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone,
	CONSTRAINT "jobs_no_trial" CHECK ("jobs"."kind" = 'trial' or "jobs"."id" !~ '/[0-9]+$')
);
--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT "runs_trial_id_trials_id_fk";
--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_task_hash_task_versions_hash_fk" FOREIGN KEY ("task_hash") REFERENCES "public"."task_versions"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "jobs_open" ON "jobs" USING btree ("pool") WHERE "jobs"."ended_at" is null;--> statement-breakpoint
INSERT INTO "jobs" ("id", "kind", "research_id", "task_hash", "pool", "priority", "spec", "opened_at", "ended_at")
SELECT "id", 'trial', "research_id", "task_hash", "pool", CASE "kind" WHEN 'injected' THEN 1 ELSE 3 END,
	'{"shape": "to-an-end"}', "created_at", CASE WHEN "status" IS NOT NULL THEN coalesce("ended_at", "created_at") END
FROM "trials";--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_trial_id_jobs_id_fk" FOREIGN KEY ("trial_id") REFERENCES "public"."jobs"("id") ON DELETE no action ON UPDATE no action;