CREATE TABLE "counted_plans" (
	"user_id" text PRIMARY KEY NOT NULL,
	"label" text NOT NULL,
	"currency" text,
	"revenue" numeric,
	"changes_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "plans_to_count" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "standing_changes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"label" text DEFAULT '' NOT NULL,
	"change" numeric NOT NULL
);
--> statement-breakpoint
CREATE TABLE "standing_sums" (
	"name" text NOT NULL,
	"label" text DEFAULT '' NOT NULL,
	"value" numeric NOT NULL,
	CONSTRAINT "standing_sums_name_label_pk" PRIMARY KEY("name","label")
);
--> statement-breakpoint
ALTER TABLE "counted_plans" ADD CONSTRAINT "counted_plans_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX IF NOT EXISTS "counted_plans_changes_at_index" ON "counted_plans" USING btree ("changes_at") WHERE "counted_plans"."changes_at" IS NOT NULL;--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "plan_changes_open_index" ON "plan_changes" USING btree ("requested_at") WHERE "plan_changes"."applied_at" IS NULL;--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "renewal_consents_unpaid_index" ON "renewal_consents" USING btree ("agreed_at") WHERE "renewal_consents"."subscription_id" IS NULL;--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "billing_notices_created_at_index" ON "billing_notices" USING btree ("created_at") WHERE "billing_notices"."kind" <> 'card_expires';--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_invoices_next_attempt_index" ON "stripe_invoices" USING btree ("next_attempt_at") WHERE "stripe_invoices"."status" = 'open';--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_subscriptions_canceled_at_index" ON "stripe_subscriptions" USING btree ("canceled_at") WHERE "stripe_subscriptions"."canceled_at" IS NOT NULL;--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_subscriptions_ended_at_index" ON "stripe_subscriptions" USING btree ("ended_at") WHERE "stripe_subscriptions"."ended_at" IS NOT NULL;--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_subscriptions_period_end_index" ON "stripe_subscriptions" USING btree ("current_period_end") WHERE "stripe_subscriptions"."status" IN ('active', 'trialing');--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_subscriptions_cancel_at_index" ON "stripe_subscriptions" USING btree ("cancel_at") WHERE "stripe_subscriptions"."cancel_at" IS NOT NULL AND "stripe_subscriptions"."status" NOT IN ('canceled', 'incomplete_expired');--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_subscriptions_late_index" ON "stripe_subscriptions" USING btree ("access_until") WHERE "stripe_subscriptions"."status" = 'past_due';--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_subscriptions_incomplete_index" ON "stripe_subscriptions" USING btree ("user_id") WHERE "stripe_subscriptions"."status" = 'incomplete';--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_subscriptions_resumes_at_index" ON "stripe_subscriptions" USING btree ("resumes_at") WHERE "stripe_subscriptions"."resumes_at" IS NOT NULL;--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_subscriptions_renewal_index" ON "stripe_subscriptions" USING btree (coalesce("next_price_id", "price_id"),"next_payment_at") WHERE "stripe_subscriptions"."status" = 'active';--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_subscriptions_trial_index" ON "stripe_subscriptions" USING btree ("next_payment_at") WHERE "stripe_subscriptions"."status" = 'trialing';--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "stripe_subscriptions_never_synced_index" ON "stripe_subscriptions" USING btree ("user_id") WHERE "stripe_subscriptions"."access_until" IS NULL;--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "outbox_reconcile_index" ON "outbox" USING btree ("created_at") WHERE "outbox"."kind" = 'reconcile';--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "grants_expires_at_index" ON "grants" USING btree ("expires_at");--> statement-breakpoint
-- safe: writing waits for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "waitlist_confirmed_at_index" ON "waitlist" USING btree ("confirmed_at") WHERE "waitlist"."confirmed_at" IS NOT NULL;--> statement-breakpoint
CREATE FUNCTION note_people() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO public.standing_changes (name, change) SELECT 'people', count(*) FROM new_rows HAVING count(*) > 0;
  ELSE
    INSERT INTO public.standing_changes (name, change) SELECT 'people', -count(*) FROM old_rows HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER user_insert_counted AFTER INSERT ON "user" REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_people();--> statement-breakpoint
CREATE TRIGGER user_delete_counted AFTER DELETE ON "user" REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_people();--> statement-breakpoint
CREATE FUNCTION note_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  was_waiting integer := 0;
  waits integer := 0;
  was_brought integer := 0;
  brought integer := 0;
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.confirmed_at IS NOT NULL THEN
    was_waiting := 1;
    was_brought := (OLD.referred_by IS NOT NULL)::integer;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.confirmed_at IS NOT NULL THEN
    waits := 1;
    brought := (NEW.referred_by IS NOT NULL)::integer;
  END IF;
  INSERT INTO public.standing_changes (name, label, change)
  SELECT 'waiting', label, change FROM (VALUES ('', waits - was_waiting), ('referral', brought - was_brought)) AS changed (label, change)
  WHERE change <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER waitlist_insert_counted AFTER INSERT ON "waitlist" FOR EACH ROW
  WHEN (NEW.confirmed_at IS NOT NULL) EXECUTE FUNCTION note_waiting();--> statement-breakpoint
CREATE TRIGGER waitlist_update_counted AFTER UPDATE ON "waitlist" FOR EACH ROW
  WHEN ((OLD.confirmed_at IS NULL) <> (NEW.confirmed_at IS NULL) OR (OLD.referred_by IS NULL) <> (NEW.referred_by IS NULL))
  EXECUTE FUNCTION note_waiting();--> statement-breakpoint
CREATE TRIGGER waitlist_delete_counted AFTER DELETE ON "waitlist" FOR EACH ROW
  WHEN (OLD.confirmed_at IS NOT NULL) EXECUTE FUNCTION note_waiting();--> statement-breakpoint
CREATE FUNCTION note_changed_plans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO public.plans_to_count (user_id) SELECT DISTINCT user_id FROM old_rows WHERE user_id IS NOT NULL;
  ELSE
    -- What changes with the account that is deleted needs no count: its row in counted_plans goes with it.
    INSERT INTO public.plans_to_count (user_id) SELECT DISTINCT user_id FROM new_rows WHERE user_id IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER grants_insert_counted AFTER INSERT ON "grants" REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_changed_plans();--> statement-breakpoint
CREATE TRIGGER grants_update_counted AFTER UPDATE ON "grants" REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_changed_plans();--> statement-breakpoint
CREATE TRIGGER grants_delete_counted AFTER DELETE ON "grants" REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_changed_plans();--> statement-breakpoint
CREATE TRIGGER subscriptions_insert_counted AFTER INSERT ON "stripe_subscriptions" REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_changed_plans();--> statement-breakpoint
-- A sync writes each subscription anew, and mostly as it was.
CREATE FUNCTION note_changed_plan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.plans_to_count (user_id) VALUES (NEW.user_id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER subscriptions_update_counted AFTER UPDATE ON "stripe_subscriptions" FOR EACH ROW
  WHEN ((OLD.tier, OLD.status, OLD.price_id, OLD.access_until, OLD.current_period_end, OLD.cancel_at, OLD.pause_behavior)
    IS DISTINCT FROM
    (NEW.tier, NEW.status, NEW.price_id, NEW.access_until, NEW.current_period_end, NEW.cancel_at, NEW.pause_behavior))
  EXECUTE FUNCTION note_changed_plan();--> statement-breakpoint
CREATE TRIGGER subscriptions_delete_counted AFTER DELETE ON "stripe_subscriptions" REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_changed_plans();--> statement-breakpoint
CREATE FUNCTION note_counted_plans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO public.standing_changes (name, label, change)
    SELECT 'active', label, -count(*) FROM old_rows GROUP BY label
    UNION ALL SELECT 'revenue', currency, -sum(revenue) FROM old_rows WHERE revenue <> 0 GROUP BY currency;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO public.standing_changes (name, label, change)
    SELECT 'active', label, count(*) FROM new_rows GROUP BY label
    UNION ALL SELECT 'revenue', currency, sum(revenue) FROM new_rows WHERE revenue <> 0 GROUP BY currency;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER counted_plans_insert AFTER INSERT ON "counted_plans" REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_counted_plans();--> statement-breakpoint
CREATE TRIGGER counted_plans_update AFTER UPDATE ON "counted_plans" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_counted_plans();--> statement-breakpoint
CREATE TRIGGER counted_plans_delete AFTER DELETE ON "counted_plans" REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_counted_plans();
