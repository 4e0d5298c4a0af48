CREATE TABLE "restarts" (
	"workflow_id" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"run_id" text NOT NULL,
	"start" jsonb NOT NULL,
	"left_behind" jsonb,
	"taken_by" text,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
