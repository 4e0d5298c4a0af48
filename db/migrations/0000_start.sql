CREATE TABLE "alerts" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alerts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"research_id" text NOT NULL,
	"message" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "artefacts" (
	"trial_id" text NOT NULL,
	"placement" integer NOT NULL,
	"path" text NOT NULL,
	"blob_hash" text NOT NULL,
	CONSTRAINT "artefacts_trial_id_placement_path_pk" PRIMARY KEY("trial_id","placement","path")
);
--> statement-breakpoint
CREATE TABLE "blobs" (
	"hash" text PRIMARY KEY NOT NULL,
	"content" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "calls" (
	"trial_id" text NOT NULL,
	"turn" integer NOT NULL,
	"model" text NOT NULL,
	"request" jsonb NOT NULL,
	"answer" text,
	"outcome" jsonb,
	"error" text,
	"tokens_in" integer,
	"tokens_out" integer,
	"usd" double precision,
	"latency_seconds" double precision,
	"repeated" integer DEFAULT 0 NOT NULL,
	"sent_at" timestamp with time zone DEFAULT now() NOT NULL,
	"answered_at" timestamp with time zone,
	CONSTRAINT "calls_trial_id_turn_pk" PRIMARY KEY("trial_id","turn")
);
--> statement-breakpoint
CREATE TABLE "candidates" (
	"id" text PRIMARY KEY NOT NULL,
	"immutable_hash" text NOT NULL,
	"files" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "claims" (
	"research_id" text NOT NULL,
	"seq" integer NOT NULL,
	"candidate_id" text NOT NULL,
	"of_trial" integer,
	"previous" text,
	"value" double precision NOT NULL,
	"sd" double precision,
	"n" integer NOT NULL,
	"reason" text NOT NULL,
	"by" text DEFAULT 'gate' NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "claims_research_id_seq_pk" PRIMARY KEY("research_id","seq")
);
--> statement-breakpoint
CREATE TABLE "installations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notes" (
	"id" text PRIMARY KEY NOT NULL,
	"research_id" text NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "points" (
	"trial_id" text NOT NULL,
	"placement" integer NOT NULL,
	"seq" integer NOT NULL,
	"step" double precision NOT NULL,
	"elapsed" double precision NOT NULL,
	"value" double precision NOT NULL,
	CONSTRAINT "points_trial_id_placement_seq_pk" PRIMARY KEY("trial_id","placement","seq")
);
--> statement-breakpoint
CREATE TABLE "researches" (
	"id" text PRIMARY KEY NOT NULL,
	"task_hash" text NOT NULL,
	"proposer" text NOT NULL,
	"phase" text NOT NULL,
	"reason" text,
	"last_n" integer DEFAULT 0 NOT NULL,
	"budget" jsonb NOT NULL,
	"gate_config" jsonb NOT NULL,
	"gate" jsonb NOT NULL,
	"baseline_candidate" text NOT NULL,
	"window" integer,
	"active_seconds" double precision DEFAULT 0 NOT NULL,
	"endpoint_down" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"trial_id" text NOT NULL,
	"placement" integer NOT NULL,
	"host" text NOT NULL,
	"slot_id" text NOT NULL,
	"fence" bigint NOT NULL,
	"follower" integer DEFAULT 0 NOT NULL,
	"log_offset" bigint DEFAULT 0 NOT NULL,
	"reader" jsonb,
	"stop" jsonb,
	"end" jsonb,
	"log_tail" text,
	"launched_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "runs_trial_id_placement_pk" PRIMARY KEY("trial_id","placement")
);
--> statement-breakpoint
CREATE TABLE "slots" (
	"id" text PRIMARY KEY NOT NULL,
	"pool" text NOT NULL,
	"host" text NOT NULL,
	"index" integer NOT NULL,
	"gpu" text,
	"state" text DEFAULT 'free' NOT NULL,
	"holder" text,
	"offered_until" timestamp with time zone,
	"trial_id" text,
	"fence" bigint DEFAULT 0 NOT NULL,
	"free_since" timestamp with time zone DEFAULT now() NOT NULL,
	"leased_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "task_files" (
	"task_hash" text NOT NULL,
	"role" text NOT NULL,
	"path" text NOT NULL,
	"blob_hash" text NOT NULL,
	"executable" boolean NOT NULL,
	CONSTRAINT "task_files_task_hash_role_path_pk" PRIMARY KEY("task_hash","role","path")
);
--> statement-breakpoint
CREATE TABLE "task_versions" (
	"hash" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"task" jsonb NOT NULL,
	"yaml" text NOT NULL,
	"prompt" text,
	"stage_hash" text NOT NULL,
	"immutable_hash" text NOT NULL,
	"evaluator_hash" text NOT NULL,
	"metric_key" text NOT NULL,
	"mutable_paths" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "trials" (
	"id" text PRIMARY KEY NOT NULL,
	"research_id" text NOT NULL,
	"n" integer NOT NULL,
	"kind" text NOT NULL,
	"of_trial" integer,
	"seed" bigint NOT NULL,
	"task_hash" text NOT NULL,
	"pool" text NOT NULL,
	"admission" text NOT NULL,
	"candidate_id" text,
	"parent_id" text,
	"proposer" text,
	"hypothesis" text,
	"expected_delta" double precision,
	"edits" jsonb,
	"staleness" integer,
	"context_ended" integer,
	"ready_at" timestamp with time zone,
	"status" text,
	"failure" text,
	"failure_message" text,
	"value" double precision,
	"metrics" jsonb,
	"evaluator_notes" text,
	"trusted" boolean,
	"verdict" text,
	"reason" text,
	"slot_id" text,
	"placement" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"slot_wait_seconds" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"seconds" double precision
);
--> statement-breakpoint
CREATE TABLE "wanted_runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "wanted_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"research_id" text NOT NULL,
	"kind" text NOT NULL,
	"candidate_id" text NOT NULL,
	"of_trial" integer,
	"n" integer,
	"proposal" jsonb
);
--> statement-breakpoint
ALTER TABLE "artefacts" ADD CONSTRAINT "artefacts_blob_hash_blobs_hash_fk" FOREIGN KEY ("blob_hash") REFERENCES "public"."blobs"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "claims" ADD CONSTRAINT "claims_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "researches" ADD CONSTRAINT "researches_task_hash_task_versions_hash_fk" FOREIGN KEY ("task_hash") REFERENCES "public"."task_versions"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_trial_id_trials_id_fk" FOREIGN KEY ("trial_id") REFERENCES "public"."trials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_files" ADD CONSTRAINT "task_files_task_hash_task_versions_hash_fk" FOREIGN KEY ("task_hash") REFERENCES "public"."task_versions"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "task_files" ADD CONSTRAINT "task_files_blob_hash_blobs_hash_fk" FOREIGN KEY ("blob_hash") REFERENCES "public"."blobs"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_task_hash_task_versions_hash_fk" FOREIGN KEY ("task_hash") REFERENCES "public"."task_versions"("hash") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trials" ADD CONSTRAINT "trials_candidate_id_candidates_id_fk" FOREIGN KEY ("candidate_id") REFERENCES "public"."candidates"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "wanted_runs" ADD CONSTRAINT "wanted_runs_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alerts_research" ON "alerts" USING btree ("research_id");--> statement-breakpoint
CREATE INDEX "notes_research" ON "notes" USING btree ("research_id");--> statement-breakpoint
CREATE INDEX "slots_pool" ON "slots" USING btree ("pool","state");--> statement-breakpoint
CREATE UNIQUE INDEX "slots_trial" ON "slots" USING btree ("trial_id");--> statement-breakpoint
CREATE UNIQUE INDEX "trials_research_n" ON "trials" USING btree ("research_id","n");--> statement-breakpoint
CREATE INDEX "trials_admission" ON "trials" USING btree ("research_id","admission");--> statement-breakpoint
CREATE INDEX "trials_candidate" ON "trials" USING btree ("candidate_id");--> statement-breakpoint
CREATE INDEX "trials_open" ON "trials" USING btree ("research_id") WHERE "trials"."status" is null;--> statement-breakpoint
CREATE INDEX "wanted_open" ON "wanted_runs" USING btree ("research_id","id") WHERE "wanted_runs"."n" is null;