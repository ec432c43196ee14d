CREATE TABLE "redeemed_addresses" (
	"promo_code" text NOT NULL,
	"email_hash" text NOT NULL,
	"grant_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "redeemed_addresses_promo_code_email_hash_pk" PRIMARY KEY("promo_code","email_hash")
);
--> statement-breakpoint
DROP VIEW "public"."user_subscriptions";--> statement-breakpoint
ALTER TABLE "redeemed_addresses" ADD CONSTRAINT "redeemed_addresses_promo_code_promo_codes_code_fk" FOREIGN KEY ("promo_code") REFERENCES "public"."promo_codes"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redeemed_addresses" ADD CONSTRAINT "redeemed_addresses_grant_id_grants_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."grants"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "redeemed_addresses_grant_id_index" ON "redeemed_addresses" USING btree ("grant_id");--> statement-breakpoint
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
  ORDER BY held.user_id, held.tier = 'premium' DESC, held.expires_at DESC);