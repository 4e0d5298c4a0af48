CREATE TABLE "events" (
	"id" bigint GENERATED ALWAYS AS IDENTITY (sequence name "events_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"research_id" text,
	"kind" text NOT NULL,
	"level" text NOT NULL,
	"n" integer,
	"data" jsonb NOT NULL,
	CONSTRAINT "events_xid_id_pk" PRIMARY KEY("xid","id")
);
--> statement-breakpoint
CREATE INDEX "events_research" ON "events" USING btree ("research_id","xid","id");--> statement-breakpoint
CREATE UNIQUE INDEX "events_share" ON "events" USING btree ("research_id",("data" ->> 'limit'),("data" ->> 'of'),("data" ->> 'share')) WHERE "events"."kind" = 'budget-share';--> statement-breakpoint
CREATE INDEX "runs_launched" ON "runs" USING brin ("launched_at");--> statement-breakpoint
CREATE INDEX "runs_of_slot" ON "runs" USING btree ("slot_id","launched_at");--> statement-breakpoint
CREATE INDEX "calls_sent" ON "calls" USING btree ("sent_at");--> statement-breakpoint
CREATE INDEX "trials_ruled" ON "trials" USING btree ("research_id",coalesce("ruled_at", "ended_at"),"n") WHERE "trials"."status" is not null;--> statement-breakpoint
CREATE INDEX "trials_value" ON "trials" USING btree ("research_id","value") WHERE "trials"."value" is not null;--> statement-breakpoint
CREATE INDEX "trials_kept" ON "trials" USING btree ("research_id","n") WHERE "trials"."verdict" in ('keep', 'confirm');--> statement-breakpoint
CREATE INDEX "trials_parent" ON "trials" USING btree ("research_id","parent_id","n","candidate_id");--> statement-breakpoint
CREATE INDEX "trials_failed" ON "trials" USING btree ("research_id","failure") WHERE "trials"."failure" is not null;