CREATE TABLE "worker_beats" (
	"worker_id" text PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"pid" integer NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
