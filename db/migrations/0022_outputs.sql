CREATE TABLE "outputs" (
	"job_id" text NOT NULL,
	"placement" integer NOT NULL,
	"offset" bigint NOT NULL,
	"content" "bytea" NOT NULL,
	CONSTRAINT "outputs_job_id_placement_offset_pk" PRIMARY KEY("job_id","placement","offset")
);
--> statement-breakpoint
ALTER TABLE "outputs" ADD CONSTRAINT "outputs_job_id_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."jobs"("id") ON DELETE no action ON UPDATE no action;