ALTER TABLE "arms" ADD COLUMN "down_times" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "operator" text;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "operator_reason" text;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "second_parent_id" text;