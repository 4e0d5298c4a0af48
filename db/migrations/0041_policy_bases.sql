CREATE TABLE "policy_bases" (
	"research_id" text NOT NULL,
	"base" text NOT NULL,
	"model" text NOT NULL,
	"checkpoint" text,
	"step_key" text,
	"adapter" jsonb,
	"descent" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "policy_bases_research_id_base_pk" PRIMARY KEY("research_id","base")
);
--> statement-breakpoint
ALTER TABLE "policy_bases" ADD CONSTRAINT "policy_bases_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "policy_bases_step" ON "policy_bases" USING btree ("step_key");