-- Of slots that are there it is not known since when.
ALTER TABLE "slots" ADD COLUMN "created_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "slots" ALTER COLUMN "created_at" SET DEFAULT now();
