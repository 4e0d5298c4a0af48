CREATE TABLE "carried_curves" (
	"research_id" text PRIMARY KEY NOT NULL,
	"task_hash" text NOT NULL,
	"curves" jsonb NOT NULL,
	"researches" integer NOT NULL,
	"tested_at" timestamp with time zone,
	"dropped" text
);
--> statement-breakpoint
ALTER TABLE "carried_curves" ADD CONSTRAINT "carried_curves_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE cascade ON UPDATE no action;