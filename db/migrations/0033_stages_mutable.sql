-- What is stored was staged with the originals of its mutable files, and its setup sees them wherever it is staged again.
ALTER TABLE "task_versions" ADD COLUMN "stages_mutable" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "task_versions" ALTER COLUMN "stages_mutable" SET DEFAULT false;
