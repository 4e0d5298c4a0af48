ALTER TABLE "researches" ADD COLUMN "seed_root" text;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "evaluator_seed" bigint;--> statement-breakpoint
ALTER TABLE "trials" ADD COLUMN "proposer_seed" bigint;--> statement-breakpoint
CREATE INDEX "trials_seed" ON "trials" USING btree ("research_id","seed");--> statement-breakpoint
CREATE INDEX "trials_evaluator_seed" ON "trials" USING btree ("research_id","evaluator_seed");--> statement-breakpoint
UPDATE "researches" SET "seed_root" = "id";
