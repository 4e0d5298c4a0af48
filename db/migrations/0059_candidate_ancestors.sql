DROP INDEX "trials_candidate";--> statement-breakpoint
CREATE INDEX "trials_candidate" ON "trials" USING btree ("candidate_id","parent_id");