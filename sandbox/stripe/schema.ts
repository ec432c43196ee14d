import type { SandboxSchema } from "../schema.ts";

export const SCHEMA: SandboxSchema = {
  name: "sandbox_stripe",
  version: 6,
  tables: `
-- When time alone changes an object; next_moment is indexed. A rank orders what falls on the same second: the next phase
-- of a schedule comes before the renewal it changes.
CREATE FUNCTION sandbox_stripe.moments(object jsonb)
RETURNS TABLE (what text, rank integer, at float8) LANGUAGE sql IMMUTABLE AS $moments$
  SELECT what, rank, at FROM (
    SELECT object->>'status' AS status,
           (object #>> '{items,data,0,current_period_end}')::float8 AS period_end,
           (object->>'cancel_at')::float8 AS cancel_at
  ) AS subscription, LATERAL (VALUES
    ('expire_update', 0, (object #>> '{pending_update,expires_at}')::float8),
    ('cancel', 2, cancel_at),
    ('end_period', 3, CASE WHEN status IN ('active', 'trialing', 'past_due') THEN period_end END)
  ) AS moments (what, rank, at)
  WHERE object->>'object' = 'subscription' AND status <> 'canceled' AND at IS NOT NULL
  UNION ALL
  SELECT 'start_phase', 1, (object #>> '{current_phase,end_date}')::float8
  WHERE object->>'object' = 'subscription_schedule' AND object->>'status' = 'active'
  UNION ALL
  SELECT 'retry_payment', 4, (object->>'next_payment_attempt')::float8
  WHERE object->>'object' = 'invoice' AND object->>'status' = 'open' AND object->>'next_payment_attempt' IS NOT NULL
$moments$;

CREATE FUNCTION sandbox_stripe.next_moment(object jsonb) RETURNS float8 LANGUAGE sql IMMUTABLE AS $next$
  SELECT CASE WHEN object->>'object' IN ('subscription', 'subscription_schedule', 'invoice') THEN
    (SELECT min(at) FROM sandbox_stripe.moments(object)) END
$next$;

-- Each Stripe object as the API shows it. Its id and kind are generated from it: one writer per fact.
CREATE TABLE sandbox_stripe.objects (
  id text GENERATED ALWAYS AS (object->>'id') STORED PRIMARY KEY,
  kind text GENERATED ALWAYS AS (object->>'object') STORED NOT NULL,
  sequence bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  object jsonb NOT NULL,
  next_moment float8 GENERATED ALWAYS AS (sandbox_stripe.next_moment(object)) STORED
);
CREATE INDEX objects_newest ON sandbox_stripe.objects (kind, sequence DESC);
CREATE INDEX objects_fields ON sandbox_stripe.objects USING gin (object jsonb_path_ops);
CREATE INDEX checkout_sessions_open
  ON sandbox_stripe.objects (((object->>'expires_at')::float8))
  WHERE kind = 'checkout.session' AND object->>'status' = 'open';
CREATE INDEX objects_moments ON sandbox_stripe.objects (next_moment) WHERE next_moment IS NOT NULL;
CREATE INDEX objects_moments_of_customer ON sandbox_stripe.objects ((object->>'customer'), next_moment)
  WHERE next_moment IS NOT NULL;
CREATE UNIQUE INDEX prices_lookup_key ON sandbox_stripe.objects ((object->>'lookup_key'))
  WHERE kind = 'price';

-- What a checkout session will buy, which the API shows only when line_items is expanded.
CREATE TABLE sandbox_stripe.checkout_orders (
  session text PRIMARY KEY REFERENCES sandbox_stripe.objects (id),
  price text NOT NULL REFERENCES sandbox_stripe.objects (id),
  metadata jsonb NOT NULL
);

-- Changes of subscriptions that wait for their invoice to be paid.
CREATE TABLE sandbox_stripe.pending_updates (
  subscription text PRIMARY KEY REFERENCES sandbox_stripe.objects (id) ON DELETE CASCADE,
  invoice text NOT NULL REFERENCES sandbox_stripe.objects (id) ON DELETE CASCADE,
  changes jsonb NOT NULL
);

-- Events to be delivered to the webhook. A row is deleted when it is delivered or given up.
CREATE TABLE sandbox_stripe.deliveries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event text NOT NULL REFERENCES sandbox_stripe.objects (id),
  attempts integer NOT NULL DEFAULT 0,
  due_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deliveries_due ON sandbox_stripe.deliveries (due_at);

-- The answer to each Idempotency-Key; empty only while its first request is in progress.
CREATE TABLE sandbox_stripe.idempotency_keys (
  key text PRIMARY KEY,
  endpoint text NOT NULL,
  params text NOT NULL,
  status integer,
  body text,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- The knobs that were set: one row, shared by every process.
CREATE TABLE sandbox_stripe.control (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  knobs jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO sandbox_stripe.control DEFAULT VALUES;

-- Counts the faults that were drawn: what the next one is follows from it and from the seed.
CREATE SEQUENCE sandbox_stripe.draws;
`,
};
