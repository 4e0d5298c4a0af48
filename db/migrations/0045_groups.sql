CREATE TABLE "niches" (
	"research_id" text NOT NULL,
	"key" text NOT NULL,
	"begun" integer,
	"is_active" boolean DEFAULT true NOT NULL,
	CONSTRAINT "niches_research_id_key_pk" PRIMARY KEY("research_id","key")
);
--> statement-breakpoint
ALTER TABLE "rollout_groups" ADD COLUMN "niche" text;--> statement-breakpoint
ALTER TABLE "nodes" ADD COLUMN "niche" text;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "niche" text;--> statement-breakpoint
ALTER TABLE "niches" ADD CONSTRAINT "niches_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "nodes_niche" ON "nodes" USING btree ("research_id","niche","value" DESC NULLS LAST,"seq") WHERE "nodes"."niche" is not null;