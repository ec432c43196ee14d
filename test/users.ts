import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { hashPassword } from "../app/auth/passwords.server.ts";
import { createSecretToken, hashSecret } from "../app/http/secret-token.server.ts";
import { cookieOf, postForm } from "./http.ts";
import { TEST_LN } from "./password-cost.ts";
import type { TestServer } from "./server.ts";

export const PASSWORD = "correct horse battery";
const NAME = "Ada Lovelace";

/** A signed-in user. */
export interface Person {
  id: string;
  email: string;
  /** A Cookie header. */
  cookie: string;
}

/** Hashed once: a hash for each would only use CPU time. */
let passwordHash: Promise<string> | undefined;

/**
 * Creates a signed-in user with PASSWORD and an unconfirmed address, directly in the tables, so without the mail that `signUp`
 * sends.
 */
export async function createPerson(pool: Pool): Promise<Person> {
  passwordHash ??= hashPassword(PASSWORD, { N: 2 ** TEST_LN, r: 8, p: 3 });
  const { id, cookie } = await createSignedInUser(pool);
  await pool.query("UPDATE account SET password = $2 WHERE user_id = $1", [id, await passwordHash]);
  await pool.query(`UPDATE "user" SET name = $2 WHERE id = $1`, [id, NAME]);
  return { id, email: `${id}@example.com`, cookie };
}

/** Signs up by the form, for tests of what follows. */
export async function signUp(
  server: Pick<TestServer, "origin" | "pool">,
  email = `${randomUUID()}@example.com`,
): Promise<Person> {
  const response = await postForm(server, "/register", { name: NAME, email, password: PASSWORD });
  if (response.status !== 303) throw new Error(`signing up was answered with ${response.status}`);
  const { rows } = await server.pool.query(`SELECT id FROM "user" WHERE email = $1`, [email]);
  return { id: rows[0].id, email, cookie: cookieOf(response) };
}

/** Opens another session of the user, by the form. @returns its cookie */
export async function signInAgain(server: TestServer, email: string, password = PASSWORD): Promise<string> {
  const response = await postForm(server, "/login", { email, password });
  if (response.status !== 303) throw new Error(`signing in was answered with ${response.status}`);
  return cookieOf(response);
}

/** Posts a form as a browser does. A new session cookie replaces the person's. */
export async function postAs(
  server: TestServer,
  person: Pick<Person, "cookie">,
  path: string,
  fields: Record<string, string>,
): Promise<Response> {
  const answer = await postForm(server, path, fields, person.cookie);
  const renewed = cookieOf(answer);
  if (/session=./.test(renewed)) person.cookie = renewed;
  return answer;
}

export const isSignedIn = async (server: TestServer, cookie: string) =>
  (await get(server, "/dashboard", cookie)).status === 200;

/** Fetches a page with this cookie; redirects are not followed. */
export const get = (server: Pick<TestServer, "origin">, path: string, cookie?: string) =>
  fetch(server.origin + path, { redirect: "manual", headers: cookie ? { cookie } : {} });

/** Makes the user's sign-in a quarter of an hour old. */
export const makeStale = (server: TestServer, { id }: Pick<Person, "id">) =>
  server.pool.query("UPDATE session SET confirmed_at = now() - interval '15 minutes' WHERE user_id = $1", [
    id,
  ]);

/** Confirms the user's address. */
export const verify = (server: TestServer, { id }: Pick<Person, "id">) =>
  server.pool.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [id]);

/** Whether the account of an address has confirmed it. */
export async function isVerified(server: TestServer, email: string): Promise<boolean> {
  const { rows } = await server.pool.query(`SELECT email_verified FROM "user" WHERE email = $1`, [email]);
  return rows[0]?.email_verified;
}

/** Sends the same request fifty times at once. @returns the number of answers by status */
export async function fiftyTimes(send: () => Promise<Response>): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: 50 }, send));
  return Object.fromEntries(
    [...Map.groupBy(answers, ({ status }) => status)].map(([status, all]) => [status, all.length]),
  );
}

/** Connects a provider, as its callback does. @returns the connection's id */
export async function connectProvider(
  server: TestServer,
  { id }: Pick<Person, "id">,
  provider: string,
): Promise<string> {
  const connection = randomUUID();
  await server.pool.query(
    "INSERT INTO account (id, account_id, provider_id, user_id) VALUES ($1, $1, $2, $3)",
    [connection, provider, id],
  );
  return connection;
}

export async function createSignedInUser(pool: Pool): Promise<{ id: string; cookie: string }> {
  const [user] = await createSignedInUsers(pool, 1);
  if (!user) throw new Error("no user was made");
  return user;
}

/**
 * Creates signed-in users with a password hash that no password matches, directly in the tables.
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
