CREATE TABLE "call_parts" (
	"trial_id" text NOT NULL,
	"role" text NOT NULL,
	"n" integer NOT NULL,
	"hash" text,
	"body" "bytea" NOT NULL,
	CONSTRAINT "call_parts_trial_id_role_n_pk" PRIMARY KEY("trial_id","role","n")
);
--> statement-breakpoint
ALTER TABLE "calls" ALTER COLUMN "request" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "role" text DEFAULT 'proposer' NOT NULL;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "protocol" text;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "request_part" integer;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "status" integer;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "cut" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "tokens_cached" integer;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "tokens_reasoning" integer;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "estimated" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "calls" ADD COLUMN "removed_at" timestamp with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX "call_parts_hash" ON "call_parts" USING btree ("trial_id","role","hash") WHERE "call_parts"."hash" is not null;--> statement-breakpoint
CREATE INDEX "calls_kept" ON "calls" USING btree ("sent_at") WHERE "calls"."removed_at" is null;--> statement-breakpoint
CREATE VIEW "public"."proposer_call_parts" WITH (security_barrier = true) AS (select trial_id, n, body from call_parts where role = 'proposer');