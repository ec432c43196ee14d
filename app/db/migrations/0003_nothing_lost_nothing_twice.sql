CREATE TABLE "redeemed_addresses" (
	"promo_code" text NOT NULL,
	"email_hash" text NOT NULL,
	"grant_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "redeemed_addresses_promo_code_email_hash_pk" PRIMARY KEY("promo_code","email_hash")
);
--> statement-breakpoint
CREATE TABLE "skipped_prices" (
	"id" text PRIMARY KEY NOT NULL,
	"product_name" text NOT NULL,
	"reason" text NOT NULL
);
--> statement-breakpoint
DROP VIEW "public"."user_subscriptions";--> statement-breakpoint
ALTER TABLE "checkout_attempts" ADD COLUMN "checks" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "checkout_attempts" ADD COLUMN "check_at" timestamp with time zone DEFAULT now() + interval '1 minute';--> statement-breakpoint
ALTER TABLE "mail_links" ADD COLUMN "used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "dedupe_key" text;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "event_ids" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "claimed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "created_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "redeemed_addresses" ADD CONSTRAINT "redeemed_addresses_promo_code_promo_codes_code_fk" FOREIGN KEY ("promo_code") REFERENCES "public"."promo_codes"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redeemed_addresses" ADD CONSTRAINT "redeemed_addresses_grant_id_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."grants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "redeemed_addresses_grant_id_index" ON "redeemed_addresses" USING btree ("grant_id");--> statement-breakpoint
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
CREATE VIEW "public"."held_plans" AS (
  SELECT held.user_id, held.tier, held.source, held.promo_code, held.created_at, held.expires_at, held.renews
  FROM (
    SELECT user_id, tier, source, promo_code, created_at, expires_at, false AS renews
    FROM grants
    WHERE revoked_at IS NULL
    UNION ALL
    SELECT user_id, tier, 'paid', NULL, started_at, least(current_period_end, cancel_at), cancel_at IS NULL
    FROM stripe_subscriptions
    WHERE status IN ('active', 'trialing')
  ) AS held
  WHERE held.expires_at > now() - CASE WHEN held.renews THEN interval '1 hour' ELSE interval '0' END);--> statement-breakpoint
CREATE VIEW "public"."user_subscriptions" AS (
  SELECT DISTINCT ON (held.user_id)
    held.user_id, "user".email, held.tier, 'active' AS status, held.source, held.promo_code,
    held.created_at, held.expires_at, held.renews,
    CASE held.tier
      WHEN 'premium' THEN ARRAY['csv_processing', 'banking_api']
      ELSE ARRAY['csv_processing']
    END AS features
  FROM held_plans AS held
  JOIN "user" ON "user".id = held.user_id
  ORDER BY held.user_id, held.tier = 'premium' DESC, held.expires_at DESC);--> statement-breakpoint
UPDATE "outbox" SET "event_ids" = ARRAY["payload" ->> 'eventId'] WHERE "done_at" IS NULL AND "payload" ->> 'eventId' IS NOT NULL;--> statement-breakpoint
UPDATE "checkout_attempts" SET "check_at" = NULL WHERE "status" = 'closed' AND ("session_id" IS NOT NULL OR "created_at" < now() - interval '1 day');
