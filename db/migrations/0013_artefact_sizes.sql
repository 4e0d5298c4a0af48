ALTER TABLE "artefacts" DROP CONSTRAINT "artefacts_blob_hash_blobs_hash_fk";
--> statement-breakpoint
ALTER TABLE "artefacts" ADD COLUMN "size" bigint;