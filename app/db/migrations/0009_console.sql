CREATE TABLE "audit_log" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"reason" text,
	CONSTRAINT "audit_log_action_check" CHECK ("audit_log"."action" ~ '^[a-z_]+\.[a-z_]+$')
);
--> statement-breakpoint
CREATE TABLE "authenticator_apps" (
	"user_id" text PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"confirmed_at" timestamp with time zone,
	"last_step" bigint,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"public_key" text NOT NULL,
	"counter" bigint DEFAULT 0 NOT NULL,
	"transports" text[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "passkeys_name_check" CHECK (char_length("passkeys"."name") BETWEEN 1 AND 100)
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"user_id" text NOT NULL,
	"code_hash" text NOT NULL,
	"used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "recovery_codes_user_id_code_hash_pk" PRIMARY KEY("user_id","code_hash")
);
--> statement-breakpoint
CREATE TABLE "daily_figures" (
	"day" date NOT NULL,
	"name" text NOT NULL,
	"label" text DEFAULT '' NOT NULL,
	"value" bigint NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "daily_figures_name_day_label_pk" PRIMARY KEY("name","day","label")
);
--> statement-breakpoint
CREATE TABLE "page_views" (
	"day" date NOT NULL,
	"page" text NOT NULL,
	"referrer" text DEFAULT '' NOT NULL,
	"views" bigint NOT NULL,
	CONSTRAINT "page_views_day_page_referrer_pk" PRIMARY KEY("day","page","referrer")
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" bigint PRIMARY KEY NOT NULL,
	"recipient" text NOT NULL,
	"subject" text NOT NULL,
	"queued_at" timestamp with time zone DEFAULT now() NOT NULL,
	"sent_at" timestamp with time zone,
	"given_up_at" timestamp with time zone,
	"failure" text
);
--> statement-breakpoint
CREATE TABLE "promo_batches" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"size" integer NOT NULL,
	"tier" text,
	"starts_at" timestamp with time zone,
	"expires_at" timestamp with time zone,
	"max_uses" integer,
	"duration_type" text NOT NULL,
	"duration_months" integer,
	"confirmed_only" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "promo_batches_size_check" CHECK ("promo_batches"."size" BETWEEN 1 AND 10000),
	CONSTRAINT "promo_batches_name_check" CHECK (char_length("promo_batches"."name") BETWEEN 1 AND 100),
	CONSTRAINT "promo_batches_tier_check" CHECK ("promo_batches"."tier" IN ('basic', 'premium')),
	CONSTRAINT "promo_batches_duration_type_check" CHECK ("promo_batches"."duration_type" IN ('forever', 'months')),
	CONSTRAINT "promo_batches_duration_months_check" CHECK ("promo_batches"."duration_months" BETWEEN 1 AND 1200)
);
--> statement-breakpoint
CREATE TABLE "waitlist_invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"size" integer NOT NULL,
	"tier" text NOT NULL,
	"duration_months" integer NOT NULL,
	"expires_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	CONSTRAINT "waitlist_invitations_size_check" CHECK ("waitlist_invitations"."size" BETWEEN 1 AND 10000),
	CONSTRAINT "waitlist_invitations_tier_check" CHECK ("waitlist_invitations"."tier" IN ('basic', 'premium')),
	CONSTRAINT "waitlist_invitations_duration_months_check" CHECK ("waitlist_invitations"."duration_months" BETWEEN 1 AND 1200)
);
--> statement-breakpoint
DROP INDEX "grants_promo_code_index";--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "needs_second_factor" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "second_factor_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "challenge" text;--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "challenge_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "stripe_events" ADD COLUMN "customer_id" text;--> statement-breakpoint
ALTER TABLE "contact_messages" ADD COLUMN "answered_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "contact_messages" ADD COLUMN "answered_by" text;--> statement-breakpoint
ALTER TABLE "contact_messages" ADD COLUMN "answer" text;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "promo_codes" ADD COLUMN "starts_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "promo_codes" ADD COLUMN "confirmed_only" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "promo_codes" ADD COLUMN "batch_id" text;--> statement-breakpoint
ALTER TABLE "promo_codes" ADD COLUMN "note" text;--> statement-breakpoint
ALTER TABLE "waitlist" ADD COLUMN "invitation_id" text;--> statement-breakpoint
ALTER TABLE "waitlist" ADD COLUMN "invitation_position" integer;--> statement-breakpoint
ALTER TABLE "waitlist" ADD COLUMN "invited_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "waitlist" ADD COLUMN "promo_code" text;--> statement-breakpoint
ALTER TABLE "authenticator_apps" ADD CONSTRAINT "authenticator_apps_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_subject_index" ON "audit_log" USING btree ("subject","id");--> statement-breakpoint
CREATE INDEX "audit_log_actor_index" ON "audit_log" USING btree ("actor","id");--> statement-breakpoint
CREATE INDEX "audit_log_action_index" ON "audit_log" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "passkeys_user_id_index" ON "passkeys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "mails_recipient_index" ON "mails" USING btree ("recipient" text_pattern_ops,"id");--> statement-breakpoint
CREATE INDEX "mails_queued_at_index" ON "mails" USING btree ("queued_at");--> statement-breakpoint
CREATE INDEX "mails_waiting_index" ON "mails" USING btree ("id") WHERE "mails"."sent_at" IS NULL AND "mails"."given_up_at" IS NULL;--> statement-breakpoint
CREATE INDEX "mails_given_up_index" ON "mails" USING btree ("id") WHERE "mails"."given_up_at" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "promo_codes" ADD CONSTRAINT "promo_codes_batch_id_promo_batches_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."promo_batches"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "waitlist" ADD CONSTRAINT "waitlist_invitation_id_waitlist_invitations_id_fk" FOREIGN KEY ("invitation_id") REFERENCES "public"."waitlist_invitations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "waitlist" ADD CONSTRAINT "waitlist_promo_code_promo_codes_code_fk" FOREIGN KEY ("promo_code") REFERENCES "public"."promo_codes"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "user_created_at_index" ON "user" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "user_email_prefix_index" ON "user" USING btree (lower("email") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "user_name_prefix_index" ON "user" USING btree (lower("name") text_pattern_ops);--> statement-breakpoint
CREATE INDEX "stripe_events_unhandled_index" ON "stripe_events" USING btree ("received_at") WHERE "stripe_events"."handled_at" IS NULL;--> statement-breakpoint
CREATE INDEX "stripe_events_received_at_index" ON "stripe_events" USING btree ("received_at","id");--> statement-breakpoint
CREATE INDEX "stripe_events_customer_id_index" ON "stripe_events" USING btree ("customer_id","received_at");--> statement-breakpoint
CREATE INDEX "stripe_invoices_paid_at_index" ON "stripe_invoices" USING btree ("paid_at","id");--> statement-breakpoint
CREATE INDEX "stripe_subscriptions_price_id_index" ON "stripe_subscriptions" USING btree ("price_id");--> statement-breakpoint
CREATE INDEX "stripe_subscriptions_started_at_index" ON "stripe_subscriptions" USING btree ("started_at","id");--> statement-breakpoint
CREATE INDEX "contact_messages_created_at_index" ON "contact_messages" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "contact_messages_unanswered_index" ON "contact_messages" USING btree ("created_at","id") WHERE "contact_messages"."answered_at" IS NULL;--> statement-breakpoint
CREATE INDEX "outbox_open_index" ON "outbox" USING btree ("id") WHERE "outbox"."done_at" IS NULL;--> statement-breakpoint
CREATE INDEX "grants_created_at_index" ON "grants" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "promo_codes_created_at_index" ON "promo_codes" USING btree ("created_at","code");--> statement-breakpoint
CREATE INDEX "promo_codes_batch_id_index" ON "promo_codes" USING btree ("batch_id","code");--> statement-breakpoint
CREATE INDEX "waitlist_invitation_index" ON "waitlist" USING btree ("invitation_id","invitation_position");--> statement-breakpoint
CREATE INDEX "waitlist_promo_code_index" ON "waitlist" USING btree ("promo_code");--> statement-breakpoint
CREATE INDEX "waitlist_created_at_index" ON "waitlist" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "waitlist_email_prefix_index" ON "waitlist" USING btree ("email" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "grants_promo_code_index" ON "grants" USING btree ("promo_code","created_at","id");--> statement-breakpoint
ALTER TABLE "contact_messages" ADD CONSTRAINT "contact_messages_answered_check" CHECK (("contact_messages"."answered_at" IS NULL) = ("contact_messages"."answered_by" IS NULL));--> statement-breakpoint
ALTER TABLE "contact_messages" ADD CONSTRAINT "contact_messages_answer_check" CHECK (char_length("contact_messages"."answer") BETWEEN 1 AND 10000);--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_reason_check" CHECK (char_length("grants"."reason") BETWEEN 1 AND 500);--> statement-breakpoint
ALTER TABLE "promo_codes" ADD CONSTRAINT "promo_codes_note_check" CHECK (char_length("promo_codes"."note") BETWEEN 1 AND 200);--> statement-breakpoint
ALTER TABLE "promo_codes" ADD CONSTRAINT "promo_codes_window_check" CHECK ("promo_codes"."starts_at" < "promo_codes"."expires_at");--> statement-breakpoint
ALTER TABLE "waitlist" ADD CONSTRAINT "waitlist_invited_check" CHECK (("waitlist"."invited_at" IS NULL) = ("waitlist"."promo_code" IS NULL));--> statement-breakpoint
CREATE FUNCTION refuse_change_of_audit_log() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is only ever added to' USING ERRCODE = 'insufficient_privilege';
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_log_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_audit_log();
