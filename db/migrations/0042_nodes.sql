CREATE TABLE "nodes" (
	"research_id" text NOT NULL,
	"candidate_id" text NOT NULL,
	"seq" integer NOT NULL,
	"parent_id" text,
	"depth" integer NOT NULL,
	"value" double precision,
	"runs" integer DEFAULT 0 NOT NULL,
	"below" double precision,
	"best" double precision,
	"visits" integer DEFAULT 0 NOT NULL,
	"in_flight" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "nodes_research_id_candidate_id_pk" PRIMARY KEY("research_id","candidate_id")
);
--> statement-breakpoint
ALTER TABLE "researches" ADD COLUMN "nodes" integer;--> statement-breakpoint
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "nodes_value" ON "nodes" USING btree ("research_id","value" DESC NULLS LAST,"seq") WHERE "nodes"."value" is not null;--> statement-breakpoint
CREATE INDEX "nodes_best" ON "nodes" USING btree ("research_id","best" DESC NULLS LAST,"seq") WHERE "nodes"."best" is not null;--> statement-breakpoint
CREATE INDEX "nodes_children" ON "nodes" USING btree ("research_id","parent_id","best" DESC NULLS LAST) WHERE "nodes"."best" is not null;--> statement-breakpoint
-- Each choice counts its visit along a path. In free space of their pages the rows need no new index entries.
ALTER TABLE "nodes" SET (fillfactor = 80);
