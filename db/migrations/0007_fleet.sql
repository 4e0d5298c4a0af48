CREATE SEQUENCE "public"."slot_fences" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "hosts" (
	"name" text PRIMARY KEY NOT NULL,
	"pool" text NOT NULL,
	"spec" jsonb NOT NULL,
	"pool_spec" jsonb NOT NULL,
	"state" text DEFAULT 'serving' NOT NULL,
	"facts" jsonb,
	"looked_at" timestamp with time zone,
	"seen_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"quarantined_until" timestamp with time zone,
	"note" text,
	"last_error" text,
	"last_error_at" timestamp with time zone,
	"applied_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "slots" ADD COLUMN "wanted" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "hosts_pool" ON "hosts" USING btree ("pool");--> statement-breakpoint
CREATE INDEX "runs_open" ON "runs" USING btree ("host") WHERE "runs"."ended_at" is null;--> statement-breakpoint
SELECT setval('slot_fences', greatest(1, (SELECT coalesce(max(fence), 0) FROM slots)));
