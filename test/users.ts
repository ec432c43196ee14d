import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { createSecretToken, hashSecret } from "../app/http/secret-token.server.ts";

/** One of them. */
export async function createSignedInUser(pool: Pool): Promise<{ id: string; cookie: string }> {
  const [user] = await createSignedInUsers(pool, 1);
  if (!user) throw new Error("no user was made");
  return user;
}

/**
 * Users who are signed in already, written straight into the tables: hashing a thousand passwords would test
 * nothing but the processor.
 *
 * @returns a Cookie header for each
 */
export async function createSignedInUsers(
  pool: Pool,
  count: number,
): Promise<{ id: string; cookie: string }[]> {
  const users = Array.from({ length: count }, () => ({ id: randomUUID(), token: createSecretToken() }));
  const ids = users.map((user) => user.id);
  await pool.query(
    `INSERT INTO "user" (id, name, email) SELECT id, 'Test', id || '@example.com' FROM unnest($1::text[]) AS id`,
    [ids],
  );
  await pool.query(
    `INSERT INTO account (id, account_id, provider_id, user_id, password)
     SELECT id, id, 'credential', id, 'a hash that no password has' FROM unnest($1::text[]) AS id`,
    [ids],
  );
  await pool.query(
    `INSERT INTO session (id, token_hash, user_id, expires_at)
     SELECT user_id, token_hash, user_id, now() + interval '1 day' FROM unnest($1::text[], $2::text[]) AS t (user_id, token_hash)`,
    [ids, users.map((user) => hashSecret(user.token))],
  );
  return users.map(({ id, token }) => ({ id, cookie: `session=${btoa(JSON.stringify(token))}` }));
}

/** The secret token in a session cookie: React Router writes values as JSON in Base64. */
export function sessionTokenOf(cookie: string): string {
  const [, value = ""] = /session=([^;\s]+)/.exec(cookie) ?? [];
  return JSON.parse(atob(decodeURIComponent(value)));
}
