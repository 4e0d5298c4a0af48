ALTER TABLE "jobs" ADD COLUMN "ending" jsonb;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "ready_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "removed_at" timestamp with time zone;