ALTER TABLE "calls" ADD COLUMN "workflow_run" text;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "attempt" integer;