ALTER TABLE "researches" ADD COLUMN "overrides" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "researches" ADD COLUMN "settings" jsonb;--> statement-breakpoint
ALTER TABLE "researches" ADD COLUMN "settings_hash" text;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "parent_reason" text;