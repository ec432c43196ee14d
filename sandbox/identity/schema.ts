/** After a change here start afresh: DROP SCHEMA sandbox_identity CASCADE. */
export const tables = `
-- The highest number signs; the others can still be verified with.
CREATE TABLE sandbox_identity.signing_keys (
  number integer PRIMARY KEY,
  private_jwk jsonb NOT NULL
);

-- What a browser came with, while its person makes up their mind.
CREATE TABLE sandbox_identity.requests (
  id text PRIMARY KEY,
  face text NOT NULL CHECK (face IN ('google', 'facebook')),
  request jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- A row leaves when its code is used.
CREATE TABLE sandbox_identity.codes (
  code text PRIMARY KEY,
  face text NOT NULL CHECK (face IN ('google', 'facebook')),
  request jsonb NOT NULL,
  account jsonb NOT NULL,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '60 seconds'
);

CREATE TABLE sandbox_identity.access_tokens (
  token text PRIMARY KEY,
  face text NOT NULL CHECK (face IN ('google', 'facebook')),
  account jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);

-- The knobs that were turned: one row, shared by every process.
CREATE TABLE sandbox_identity.control (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  knobs jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO sandbox_identity.control DEFAULT VALUES;
`;
