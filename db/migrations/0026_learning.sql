CREATE TABLE "policies" (
	"research_id" text PRIMARY KEY NOT NULL,
	"in_force" integer DEFAULT 0 NOT NULL,
	"pinned" boolean DEFAULT false NOT NULL,
	"halted" text,
	"judged_from" integer DEFAULT 0 NOT NULL,
	"adjustments" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rollout_groups" (
	"research_id" text NOT NULL,
	"g" integer NOT NULL,
	"parent_id" text NOT NULL,
	"parent_reason" text NOT NULL,
	"version" integer NOT NULL,
	"prompt" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "rollout_groups_research_id_g_pk" PRIMARY KEY("research_id","g")
);
--> statement-breakpoint
CREATE TABLE "rollouts" (
	"trial_id" text PRIMARY KEY NOT NULL,
	"research_id" text NOT NULL,
	"seq" integer NOT NULL,
	"g" integer NOT NULL,
	"k" integer NOT NULL,
	"policy_version" text,
	"prompt_ids" integer[],
	"completion_ids" integer[],
	"logprobs" double precision[],
	"text" text,
	"finish_reason" text,
	"sampled_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "updates" (
	"research_id" text NOT NULL,
	"k" integer NOT NULL,
	"state" text DEFAULT 'due' NOT NULL,
	"batch" jsonb NOT NULL,
	"parent" integer,
	"parent_checkpoint" text,
	"adjustments" jsonb,
	"step_key" text,
	"checkpoint" text,
	"metrics" jsonb,
	"versions" jsonb,
	"seconds" jsonb,
	"skipped" jsonb,
	"fired" jsonb,
	"failures" integer DEFAULT 0 NOT NULL,
	"reason" text,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"begun_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	CONSTRAINT "updates_research_id_k_pk" PRIMARY KEY("research_id","k")
);
--> statement-breakpoint
ALTER TABLE "policies" ADD CONSTRAINT "policies_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollout_groups" ADD CONSTRAINT "rollout_groups_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rollouts" ADD CONSTRAINT "rollouts_trial_id_trials_id_fk" FOREIGN KEY ("trial_id") REFERENCES "public"."trials"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "updates" ADD CONSTRAINT "updates_research_id_researches_id_fk" FOREIGN KEY ("research_id") REFERENCES "public"."researches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "rollouts_seq" ON "rollouts" USING btree ("research_id","seq");--> statement-breakpoint
CREATE INDEX "rollouts_update" ON "rollouts" USING btree ("research_id","k");--> statement-breakpoint
CREATE INDEX "updates_due" ON "updates" USING btree ("research_id") WHERE "updates"."state" = 'due';