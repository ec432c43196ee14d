import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { type Browser, beginAt, chooseAt, endOf, type Somebody, turnKnobs } from "../../../test/browser.ts";
import type { TestServer } from "../../../test/server.ts";
import type { Provider } from "./providers.ts";
import { reasonOf, type SignInError } from "./sign-in-errors.ts";

/** A unique address per test, because the sandbox identifies people by their address. Names may be in upper case, as people type. */
export const addressOf = (name: string) => `${name}-${randomUUID()}@example.com`;

export const someone = () => ({ email: addressOf("someone") });

/** Actions and checks that the tests of providers share. */
export function providersOn(server: TestServer) {
  return { choose, come, expectRefused, userOf, signInMethods, providersOf };

  /** Signs in, or connects, at a provider and follows the redirect back. */
  async function come(browser: Browser, provider: Provider, somebody: Somebody, intent = "sign_in") {
    return browser.get(await choose(browser, provider, somebody, intent));
  }

  /** @returns where the provider sends the browser */
  async function choose(browser: Browser, provider: Provider, somebody: Somebody, intent: string) {
    // Google always shares the address unless a knob omits it.
    if (provider === "google" && somebody.isShared === false) await turnKnobs(server, { email: "omit" });
    const return_to = intent === "sign_in" ? "/dashboard" : "/account";
    return chooseAt(browser, await beginAt(browser, provider, { intent, return_to }), somebody);
  }

  /** Expects no session, and the reason on the login page. */
  async function expectRefused(browser: Browser, answer: Response, provider: Provider, error: SignInError) {
    const page = answer.headers.get("location") ?? "";
    const query = new URLSearchParams({ provider, error, return_to: "/dashboard" });
    expect(page).toBe(`/login?${query}${endOf(provider)}`);
    expect(browser.cookies.has("session")).toBe(false);
    const text = (await (await browser.get(page)).text()).replaceAll("&#x27;", "'");
    expect(text).toContain(`Failed to sign in with ${{ google: "Google", facebook: "Facebook" }[provider]}`);
    expect(text).toContain(reasonOf(provider, error));
    expect(text).toContain(`data-code="${error}"`);
  }

  async function userOf(email: string): Promise<{ id: string; email_verified: boolean } | undefined> {
    const { rows } = await server.pool.query(`SELECT id, email_verified FROM "user" WHERE email = $1`, [
      email.toLowerCase(),
    ]);
    return rows[0];
  }

  async function signInMethods(email: string): Promise<string[]> {
    const user = await userOf(email);
    return user ? providersOf(user.id) : [];
  }

  async function providersOf(userId: string): Promise<string[]> {
    const { rows } = await server.pool.query(
      "SELECT provider_id FROM account WHERE user_id = $1 ORDER BY provider_id",
      [userId],
    );
    return rows.map((row) => row.provider_id);
  }
}
