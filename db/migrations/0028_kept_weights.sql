ALTER TABLE "updates" ADD COLUMN "held" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "updates" ADD COLUMN "removed_at" timestamp with time zone;