import { createHmac, randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { AUTH_SECRET } from "./server.ts";

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
  const users = Array.from({ length: count }, () => ({ id: randomUUID(), token: randomUUID() }));
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
    `INSERT INTO session (id, token, user_id, expires_at)
     SELECT user_id, token, user_id, now() + interval '1 day' FROM unnest($1::text[], $2::text[]) AS t (user_id, token)`,
    [ids, users.map((user) => user.token)],
  );
  return users.map(({ id, token }) => {
    const signature = createHmac("sha256", AUTH_SECRET).update(token).digest("base64");
    return { id, cookie: `session=${encodeURIComponent(`${token}.${signature}`)}` };
  });
}
