ALTER TABLE "checkout_attempts" ADD COLUMN "checks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "checkout_attempts" ADD COLUMN "check_at" timestamp with time zone DEFAULT now() + interval '1 minute';--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "dedupe_key" text;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "event_ids" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "claimed_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "checkout_attempts_user_id_index" ON "checkout_attempts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "checkout_attempts_check_at_index" ON "checkout_attempts" USING btree ("check_at") WHERE "checkout_attempts"."check_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "checkout_attempts_settled_index" ON "checkout_attempts" USING btree ("created_at") WHERE "checkout_attempts"."check_at" IS NULL;--> statement-breakpoint
CREATE INDEX "contact_messages_email_index" ON "contact_messages" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "outbox_done_at_index" ON "outbox" USING btree ("done_at") WHERE "outbox"."done_at" IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "outbox_one_waiting_unique" ON "outbox" USING btree ("kind","dedupe_key") WHERE "outbox"."done_at" IS NULL AND "outbox"."claimed_at" IS NULL;--> statement-breakpoint
CREATE INDEX "outbox_running_index" ON "outbox" USING btree ("kind","dedupe_key") WHERE "outbox"."done_at" IS NULL AND "outbox"."claimed_at" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "provider_flows_user_id_index" ON "provider_flows" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "session_expires_at_index" ON "session" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "stripe_events_handled_at_index" ON "stripe_events" USING btree ("handled_at");--> statement-breakpoint
CREATE INDEX "verification_expires_at_index" ON "verification" USING btree ("expires_at");--> statement-breakpoint
UPDATE "outbox" SET "event_ids" = ARRAY["payload" ->> 'eventId'] WHERE "done_at" IS NULL AND "payload" ->> 'eventId' IS NOT NULL;--> statement-breakpoint
UPDATE "checkout_attempts" SET "check_at" = NULL WHERE "status" = 'closed' AND ("session_id" IS NOT NULL OR "created_at" < now() - interval '1 day');
