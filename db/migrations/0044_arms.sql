CREATE TABLE "arms" (
	"research_id" text NOT NULL,
	"key" text NOT NULL,
	"chosen" integer DEFAULT 0 NOT NULL,
	"trials" integer DEFAULT 0 NOT NULL,
	"scored" integer DEFAULT 0 NOT NULL,
	"reward" double precision DEFAULT 0 NOT NULL,
	"seconds" double precision DEFAULT 0 NOT NULL,
	"usd" double precision DEFAULT 0 NOT NULL,
	"down" text,
	"down_until" timestamp with time zone,
	CONSTRAINT "arms_research_id_key_pk" PRIMARY KEY("research_id","key")
);
--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "arm" text;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "arm_reward" double precision;--> statement-breakpoint
ALTER TABLE "arms" ADD CONSTRAINT "arms_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "trials_arm_scores" ON "trials" USING btree ("research_id","ended_at") WHERE "trials"."arm" is not null and "trials"."value" is not null;