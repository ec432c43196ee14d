import type { SandboxSchema } from "../schema.ts";

export const SCHEMA: SandboxSchema = {
  name: "sandbox_identity",
  version: 3,
  tables: `
-- The highest number signs; signatures of the others can still be verified.
CREATE TABLE sandbox_identity.signing_keys (
  number integer PRIMARY KEY,
  private_jwk jsonb NOT NULL
);

-- The requests of browsers that are shown the account chooser.
CREATE TABLE sandbox_identity.requests (
  id text PRIMARY KEY,
  provider text NOT NULL CHECK (provider IN ('google', 'facebook')),
  request jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A row is deleted when its code is redeemed.
CREATE TABLE sandbox_identity.codes (
  code text PRIMARY KEY,
  provider text NOT NULL CHECK (provider IN ('google', 'facebook')),
  request jsonb NOT NULL,
  account jsonb NOT NULL,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '10 minutes'
);

CREATE TABLE sandbox_identity.access_tokens (
  token text PRIMARY KEY,
  provider text NOT NULL CHECK (provider IN ('google', 'facebook')),
  account jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);

-- The knobs that were set: one row, shared by every process.
CREATE TABLE sandbox_identity.control (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  knobs jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO sandbox_identity.control DEFAULT VALUES;
`,
};
