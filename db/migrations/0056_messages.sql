CREATE TABLE "message_deliveries" (
	"id" text PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"sink" text NOT NULL,
	"kind" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"next_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"last_error" text,
	"delivered_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" text PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"sink" text NOT NULL,
	"kind" text NOT NULL,
	"research_id" text,
	"entry" text,
	"body" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"held" boolean DEFAULT false NOT NULL,
	"delivery" text
);
--> statement-breakpoint
CREATE TABLE "sinks" (
	"name" text PRIMARY KEY NOT NULL,
	"spec" jsonb NOT NULL,
	"applied_at" timestamp with time zone DEFAULT now() NOT NULL,
	"digest_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "researches" ADD COLUMN "notify" jsonb;--> statement-breakpoint
ALTER TABLE "message_deliveries" ADD CONSTRAINT "message_deliveries_sink_sinks_name_fk" FOREIGN KEY ("sink") REFERENCES "public"."sinks"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_sink_sinks_name_fk" FOREIGN KEY ("sink") REFERENCES "public"."sinks"("name") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_delivery_message_deliveries_id_fk" FOREIGN KEY ("delivery") REFERENCES "public"."message_deliveries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "message_deliveries_open" ON "message_deliveries" USING btree ("sink","created_at") WHERE "message_deliveries"."delivered_at" is null;--> statement-breakpoint
CREATE INDEX "message_deliveries_sink" ON "message_deliveries" USING btree ("sink","created_at");--> statement-breakpoint
CREATE INDEX "messages_waiting" ON "messages" USING btree ("sink","created_at") WHERE "messages"."delivery" is null;--> statement-breakpoint
CREATE INDEX "messages_delivery" ON "messages" USING btree ("delivery");--> statement-breakpoint
CREATE INDEX "messages_research" ON "messages" USING btree ("research_id");--> statement-breakpoint
CREATE INDEX "messages_entry" ON "messages" USING btree ("entry") WHERE "messages"."entry" is not null;