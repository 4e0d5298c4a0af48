ALTER TABLE "calls" ADD COLUMN "changed_xid" "xid8" DEFAULT '1'::xid8 NOT NULL;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "changed_xid" "xid8" DEFAULT '1'::xid8 NOT NULL;--> statement-breakpoint
CREATE INDEX "calls_changed" ON "calls" USING btree ("changed_xid");--> statement-breakpoint
CREATE INDEX "events_phases" ON "events" USING btree ("research_id","xid","id") WHERE "events"."kind" = 'phase';--> statement-breakpoint
CREATE INDEX "runs_ended" ON "runs" USING btree ("ended_at");--> statement-breakpoint
CREATE INDEX "trials_changed" ON "trials" USING btree ("changed_xid");--> statement-breakpoint
CREATE FUNCTION "set_changed_xid"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.changed_xid := pg_current_xact_id();
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "calls_changed_xid" BEFORE INSERT OR UPDATE ON "calls" FOR EACH ROW EXECUTE FUNCTION "set_changed_xid"();--> statement-breakpoint
CREATE TRIGGER "trials_changed_xid" BEFORE INSERT OR UPDATE ON "trials" FOR EACH ROW EXECUTE FUNCTION "set_changed_xid"();
