ALTER TABLE "rollouts" ADD COLUMN "value_tokens" integer;--> statement-breakpoint
ALTER TABLE "rollouts" ADD COLUMN "answer_tokens" integer;