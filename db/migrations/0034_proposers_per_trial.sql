ALTER TABLE "trials" ADD COLUMN "proposer_reason" text;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "proposer_settings" jsonb;