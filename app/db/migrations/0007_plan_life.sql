CREATE TABLE "plan_changes" (
	"subscription_id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"number" integer DEFAULT 1 NOT NULL,
	"kind" text NOT NULL,
	"price_id" text,
	"proration_date" timestamp with time zone,
	"reason" text,
	"comment" text,
	"requested_at" timestamp with time zone DEFAULT now() NOT NULL,
	"applied_at" timestamp with time zone,
	CONSTRAINT "plan_changes_kind_check" CHECK ("plan_changes"."kind" IN ('cancel', 'resume', 'change', 'refund', 'withdraw')),
	CONSTRAINT "plan_changes_price_check" CHECK (("plan_changes"."kind" = 'change') = ("plan_changes"."price_id" IS NOT NULL))
);
--> statement-breakpoint
CREATE TABLE "renewal_consents" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"price_id" text NOT NULL,
	"subscription_id" text,
	"text_version" text NOT NULL,
	"text" text NOT NULL,
	"agreed_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "withdrawals" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"subscription_id" text NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"declared_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "withdrawals_subscription_id_unique" UNIQUE("subscription_id")
);
--> statement-breakpoint
CREATE TABLE "billing_notices" (
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "billing_notices_kind_subject_pk" PRIMARY KEY("kind","subject")
);
--> statement-breakpoint
CREATE TABLE "stripe_invoices" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"subscription_id" text,
	"number" text,
	"status" text NOT NULL,
	"billing_reason" text,
	"description" text,
	"price_id" text,
	"currency" text NOT NULL,
	"total" integer NOT NULL,
	"amount_due" integer NOT NULL,
	"amount_paid" integer NOT NULL,
	"amount_refunded" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"paid_at" timestamp with time zone,
	"period_start" timestamp with time zone,
	"period_end" timestamp with time zone,
	"attempt_count" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone,
	"needs_authentication" boolean DEFAULT false NOT NULL,
	"hosted_url" text,
	"pdf_url" text,
	"payment_intent_id" text,
	"dispute_status" text,
	"sync_ticket" bigint NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "features" (
	"key" text PRIMARY KEY NOT NULL,
	"opened_at" timestamp with time zone,
	CONSTRAINT "features_key_check" CHECK ("features"."key" IN ('csv_processing', 'banking_api'))
);
--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "payment_method_id" text;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "card_brand" text;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "card_last4" text;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "card_exp_month" integer;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "card_exp_year" integer;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "synced_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "customers" ADD COLUMN "sync_ticket" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "current_period_start" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "access_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "trial_end" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "canceled_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "ended_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "pause_behavior" text;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "resumes_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "next_price_id" text;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "schedule_id" text;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "next_amount" integer;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "next_payment_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "plan_changes" ADD CONSTRAINT "plan_changes_subscription_id_stripe_subscriptions_id_fk" FOREIGN KEY ("subscription_id") REFERENCES "public"."stripe_subscriptions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "plan_changes" ADD CONSTRAINT "plan_changes_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "renewal_consents" ADD CONSTRAINT "renewal_consents_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "withdrawals" ADD CONSTRAINT "withdrawals_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "billing_notices" ADD CONSTRAINT "billing_notices_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "stripe_invoices" ADD CONSTRAINT "stripe_invoices_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "plan_changes_user_id_index" ON "plan_changes" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "renewal_consents_user_id_index" ON "renewal_consents" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "withdrawals_user_id_index" ON "withdrawals" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "billing_notices_user_id_index" ON "billing_notices" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "stripe_invoices_user_id_index" ON "stripe_invoices" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "stripe_invoices_subscription_id_index" ON "stripe_invoices" USING btree ("subscription_id");--> statement-breakpoint
CREATE OR REPLACE VIEW "public"."held_plans" AS (
  SELECT user_id, tier, source, promo_code, created_at,
    CASE WHEN renews THEN period_end ELSE access_until END AS expires_at, renews
  FROM (
    SELECT user_id, tier, source, promo_code, created_at, expires_at AS access_until, false AS renews,
      expires_at AS period_end
    FROM grants
    WHERE revoked_at IS NULL
    UNION ALL
    SELECT user_id, tier, 'paid', NULL, started_at, paid.access_until,
      current_period_end > now() AND current_period_end < paid.access_until
        AND (cancel_at IS NULL OR cancel_at > current_period_end),
      current_period_end
    FROM stripe_subscriptions, LATERAL (
      SELECT coalesce(
        access_until,
        -- Not synced since access_until exists.
        CASE WHEN status IN ('active', 'trialing')
          THEN least(current_period_end + interval '1 hour', cancel_at) END
      ) AS access_until
    ) AS paid
  ) AS held
  WHERE access_until > now());