CREATE TABLE "held_out_scores" (
	"research_id" text NOT NULL,
	"candidate_id" text NOT NULL,
	"trial_id" text NOT NULL,
	"task_hash" text NOT NULL,
	"value" double precision NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "held_out_scores_research_id_candidate_id_pk" PRIMARY KEY("research_id","candidate_id")
);
--> statement-breakpoint
ALTER TABLE "held_out_scores" ADD CONSTRAINT "held_out_scores_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;