ALTER TABLE "jobs" ADD COLUMN "first_placement" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "first_turn" integer DEFAULT 0 NOT NULL;