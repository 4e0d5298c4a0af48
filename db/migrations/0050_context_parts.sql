CREATE TABLE "memories" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "memories_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"research_id" text NOT NULL,
	"trial_id" text,
	"copied_from" text,
	"text" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "prompt_sizes" jsonb;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "feedback" jsonb;--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "memories" ADD CONSTRAINT "memories_trial_id_trials_id_fk" FOREIGN KEY ("trial_id") REFERENCES "public"."trials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "memories_trial" ON "memories" USING btree ("trial_id");--> statement-breakpoint
CREATE INDEX "memories_research" ON "memories" USING btree ("research_id","id");