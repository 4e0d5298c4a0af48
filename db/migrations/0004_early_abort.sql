ALTER TABLE "points" ADD COLUMN "share" double precision;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "abort" jsonb;