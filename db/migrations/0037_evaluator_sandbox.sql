ALTER TABLE "researches" ADD COLUMN "open_evaluator_task" text;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "artefact_code" text;--> statement-breakpoint
-- Evaluators of older researches rely on what no sandbox gives: they stay without one until their task changes.
UPDATE "researches" SET "open_evaluator_task" = "task_hash" FROM "task_versions"
WHERE "task_versions"."hash" = "researches"."task_hash" AND "task_versions"."task" -> 'evaluator' ->> 'type' <> 'none';
