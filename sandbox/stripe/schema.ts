import type { SandboxSchema } from "../schema.ts";
import { MOMENT_COLUMNS, MOMENT_INDEXES, MOMENTS } from "./clocks/moments.ts";

export const SCHEMA: SandboxSchema = {
  name: "sandbox_stripe",
  version: 4,
  tables: `
${MOMENTS}
-- Each Stripe object as the API shows it. Its id and kind are generated from it: one writer per fact.
CREATE TABLE sandbox_stripe.objects (
  id text GENERATED ALWAYS AS (object->>'id') STORED PRIMARY KEY,
  kind text GENERATED ALWAYS AS (object->>'object') STORED NOT NULL,
  sequence bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  object jsonb NOT NULL,
${MOMENT_COLUMNS});
CREATE INDEX objects_newest ON sandbox_stripe.objects (kind, sequence DESC);
CREATE INDEX objects_fields ON sandbox_stripe.objects USING gin (object jsonb_path_ops);
CREATE INDEX checkout_sessions_open
  ON sandbox_stripe.objects (((object->>'expires_at')::float8))
  WHERE kind = 'checkout.session' AND object->>'status' = 'open';
${MOMENT_INDEXES}CREATE UNIQUE INDEX prices_lookup_key ON sandbox_stripe.objects ((object->>'lookup_key'))
  WHERE kind = 'price';

-- What a checkout session will buy, which the API shows only when line_items is expanded.
CREATE TABLE sandbox_stripe.checkout_orders (
  session text PRIMARY KEY REFERENCES sandbox_stripe.objects (id),
  price text NOT NULL REFERENCES sandbox_stripe.objects (id),
  quantity integer NOT NULL CHECK (quantity > 0),
  subscription_data jsonb NOT NULL
);

-- When the customer last looked at each session of the billing portal.
CREATE TABLE sandbox_stripe.portal_visits (
  session text PRIMARY KEY REFERENCES sandbox_stripe.objects (id),
  created_at timestamptz NOT NULL DEFAULT now(),
  visited_at timestamptz
);

-- The cards whose holder has authenticated them for later payments, which the API does not show.
CREATE TABLE sandbox_stripe.authenticated_cards (
  payment_method text PRIMARY KEY REFERENCES sandbox_stripe.objects (id)
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
  is_copy boolean NOT NULL DEFAULT false,
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
