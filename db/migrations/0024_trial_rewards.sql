ALTER TABLE "trials" ADD COLUMN "reward" double precision;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "reward_parts" jsonb;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "reward_reason" text;