ALTER TABLE "runs" ADD COLUMN "hardware" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "environment" text;--> statement-breakpoint
ALTER TABLE "candidates" ADD COLUMN "sameness" text;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "proposed_id" text;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "reused_from" text;--> statement-breakpoint
CREATE INDEX "candidates_sameness" ON "candidates" USING btree ("sameness") WHERE "candidates"."sameness" is not null;