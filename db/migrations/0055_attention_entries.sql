CREATE TABLE "attention_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "attention_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"researches" text[] NOT NULL,
	"level" text NOT NULL,
	"title" text NOT NULL,
	"why" text,
	"commands" text[] NOT NULL,
	"began_at" timestamp with time zone NOT NULL,
	"ended_at" timestamp with time zone,
	"dismissed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE UNIQUE INDEX "attention_open" ON "attention_entries" USING btree ("key") WHERE "attention_entries"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "attention_ended" ON "attention_entries" USING btree ("ended_at") WHERE "attention_entries"."ended_at" is not null;