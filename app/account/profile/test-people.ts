import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { cookieOf, postForm } from "../../../test/http.ts";
import type { TestServer } from "../../../test/server.ts";

export const PASSWORD = "correct horse battery";

export interface TestPerson {
  id: string;
  email: string;
  cookie: string;
}

/** Somebody who has just signed up, by the form. */
export async function signUp(server: TestServer): Promise<TestPerson> {
  const email = `${randomUUID()}@example.com`;
  const response = await postForm(server, "/register", { name: "Ada", email, password: PASSWORD });
  expect(response.status).toBe(303);
  const { rows } = await server.pool.query(`SELECT id FROM "user" WHERE email = $1`, [email]);
  return { id: rows[0].id, email, cookie: cookieOf(response) };
}

/** Another session of theirs. @returns its cookie */
export async function signInAgain(server: TestServer, email: string, password = PASSWORD): Promise<string> {
  const response = await postForm(server, "/login", { email, password });
  expect(response.status).toBe(303);
  return cookieOf(response);
}

/** As if they had signed in a quarter of an hour ago. */
export const makeStale = (server: TestServer, { id }: TestPerson) =>
  server.pool.query("UPDATE session SET confirmed_at = now() - interval '15 minutes' WHERE user_id = $1", [
    id,
  ]);

export const verify = (server: TestServer, { id }: TestPerson) =>
  server.pool.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [id]);

/** Connects a provider, as coming back from it does. @returns the connection's id */
export async function connectProvider(
  server: TestServer,
  { id }: TestPerson,
  provider: string,
): Promise<string> {
  const connection = randomUUID();
  await server.pool.query(
    "INSERT INTO account (id, account_id, provider_id, user_id) VALUES ($1, $1, $2, $3)",
    [connection, provider, id],
  );
  return connection;
}

/** A page as a browser with this cookie gets it; redirects are not followed. */
export const get = (server: TestServer, path: string, cookie?: string) =>
  fetch(server.origin + path, { redirect: "manual", headers: cookie ? { cookie } : {} });

export const isSignedIn = async (server: TestServer, cookie: string) =>
  (await get(server, "/dashboard", cookie)).status === 200;
