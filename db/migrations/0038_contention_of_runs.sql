ALTER TABLE "runs" ADD COLUMN "contention" text;--> statement-breakpoint
CREATE INDEX "runs_contended" ON "runs" USING btree ("trial_id") WHERE "runs"."contention" is not null;