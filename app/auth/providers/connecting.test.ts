import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import {
  type Browser,
  beginAt,
  chooseAt,
  endOf,
  openBrowser,
  type Somebody,
  signInAt,
  turnKnobs,
} from "../../../test/browser.ts";
import { mailTo } from "../../../test/mail.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { createSignedInUsers } from "../../../test/users.ts";
import type { Provider } from "./providers.ts";
import { reasonOf, type SignInError } from "./sign-in-errors.ts";

const TABLE = readFileSync("docs/integrate.md", "utf8");

const server = sharedServer();

afterEach(() => turnKnobs(server, { reset: true }));

/** Who has the address already: the rows of the table. */
const OWNERS = {
  nobody: null,
  "unverified, password": { isVerified: false, signInMethods: ["credential"] },
  "unverified, Facebook": { isVerified: false, signInMethods: ["facebook"] },
  "verified, password": { isVerified: true, signInMethods: ["credential"] },
  "verified, Facebook": { isVerified: true, signInMethods: ["facebook"] },
  "verified, password and Facebook": { isVerified: true, signInMethods: ["credential", "facebook"] },
  "verified, Google": { isVerified: true, signInMethods: ["google"] },
  "verified, password and Google": { isVerified: true, signInMethods: ["credential", "google"] },
  "unverified, Google": { isVerified: false, signInMethods: ["google"] },
} as const;

type Outcome = "new, verified" | "new, unverified" | "linked" | SignInError;

const CELLS: Record<keyof typeof OWNERS, [Outcome, Outcome, Outcome, Outcome, Outcome]> = {
  nobody: ["new, verified", "new, unverified", "email-missing", "new, unverified", "email-missing"],
  "unverified, password": row("address-unconfirmed", "address-unconfirmed", "address-unconfirmed"),
  "unverified, Facebook": row("address-unconfirmed", "address-unconfirmed", "address-unconfirmed"),
  "verified, password": row("linked", "account-exists", "account-exists"),
  "verified, Facebook": row("linked", "account-exists-facebook", "account-exists-facebook"),
  "verified, password and Facebook": row("linked", "account-exists", "account-exists"),
  "verified, Google": row("account-exists-google", "account-exists-google", "account-exists-google"),
  "verified, password and Google": row(
    "account-exists-google",
    "account-exists-google",
    "account-exists-google",
  ),
  "unverified, Google": row("address-unconfirmed", "address-unconfirmed", "address-unconfirmed"),
};

/** Who does not tell an address cannot be told to anybody by it. */
function row(verified: Outcome, unverified: Outcome, facebook: Outcome): (typeof CELLS)["nobody"] {
  return [verified, unverified, "email-missing", facebook, "email-missing"];
}

describe("connecting from the profile", () => {
  test.each([
    ["google", { isVerified: true }],
    ["google", { isVerified: false }],
    ["google", { isShared: false }],
    ["facebook", {}],
    ["facebook", { isShared: false }],
  ] as const)("%s %o: whatever the address, and a mail tells", async (provider, somebody) => {
    const { id, cookie } = await createProfile();
    const browser = openBrowser(server, cookie);
    const answer = await come(browser, provider, { email: addressOf("other"), ...somebody }, "connect");
    expect(answer.headers.get("location")).toBe(`/account${endOf(provider)}`);
    expect(await providersOf(id)).toEqual(["credential", provider]);
    await mailTo(server, `${id}@example.com`, /is connected to your/);
    const another = await come(browser, provider, { email: addressOf("another") }, "connect");
    expectRefusedOnPage(another, provider, "provider-connected");
  });

  test("their own, once more", async () => {
    const { id, cookie } = await createProfile();
    const email = addressOf("own");
    for (const _ of [1, 2]) {
      const answer = await come(openBrowser(server, cookie), "google", { email }, "connect");
      expect(answer.headers.get("location")).toBe("/account");
    }
    expect(await providersOf(id)).toEqual(["credential", "google"]);
  });

  test("somebody else's", async () => {
    const { id, cookie } = await createProfile();
    const email = addressOf("taken");
    await come(openBrowser(server), "facebook", { email });
    const answer = await come(openBrowser(server, cookie), "facebook", { email }, "connect");
    expectRefusedOnPage(answer, "facebook", "identity-taken");
    expect(await providersOf(id)).toEqual(["credential"]);
  });

  test("to an address nobody has confirmed", async () => {
    const { id, cookie } = await createProfile({ isVerified: false });
    const browser = openBrowser(server, cookie);
    const answer = await browser.post("/auth/start/google", { intent: "connect", return_to: "/account" });
    expectRefusedOnPage(answer, "google", "email-unverified");
    expect(await providersOf(id)).toEqual(["credential"]);
  });

  test("ten minutes after signing in, it asks who they are", async () => {
    const { id, cookie } = await createProfile();
    await server.pool.query(
      "UPDATE session SET confirmed_at = now() - interval '11 minutes' WHERE user_id = $1",
      [id],
    );
    const browser = openBrowser(server, cookie);
    const answer = await browser.post("/auth/start/google", { intent: "connect", return_to: "/account" });
    expect(answer.headers.get("location")).toBe("/account/confirm?return_to=%2Faccount");
  });

  test("signed out in the meantime, or as somebody else", async () => {
    const [first, second] = [await createProfile(), await createProfile()];
    for (const cookie of [null, second.cookie]) {
      const browser = openBrowser(server, first.cookie);
      const chosen = await choose(browser, "google", { email: addressOf("late") }, "connect");
      if (cookie) browser.cookies.set("session", cookie.slice("session=".length));
      else browser.cookies.delete("session");
      expectRefusedOnPage(await browser.get(chosen), "google", cookie ? "other-account" : "signed-out");
    }
    expect(await providersOf(first.id)).toEqual(["credential"]);
    expect(await providersOf(second.id)).toEqual(["credential"]);
  });
});

describe("showing who they are", () => {
  test("as themselves: the session is fresh again", async () => {
    const email = addressOf("confirm");
    const browser = openBrowser(server);
    await come(browser, "facebook", { email });
    const { id } = await userOf(email);
    await server.pool.query("UPDATE session SET confirmed_at = now() - interval '1 day' WHERE user_id = $1", [
      id,
    ]);
    const answer = await signInAt(
      browser,
      "facebook",
      { email },
      { intent: "confirm", return_to: "/account" },
    );
    expect(answer.headers.get("location")).toBe("/account#top");
    const { rows } = await server.pool.query(
      "SELECT confirmed_at > now() - interval '1 minute' AS is_fresh FROM session WHERE user_id = $1",
      [id],
    );
    expect(rows).toEqual([{ is_fresh: true }]);
  });

  test.each(["somebody new", "somebody known"])("as %s: user-mismatch, and nobody is made", async (who) => {
    const { id, cookie } = await createProfile();
    await server.pool.query("UPDATE session SET confirmed_at = now() - interval '1 day' WHERE user_id = $1", [
      id,
    ]);
    const email = addressOf("mismatch");
    if (who === "somebody known") await come(openBrowser(server), "google", { email });
    const answer = await come(openBrowser(server, cookie), "google", { email }, "confirm");
    expect(answer.headers.get("location")).toBe(
      "/account/confirm?provider=google&error=user-mismatch&return_to=%2Faccount",
    );
    expect(reasonOf("google", "user-mismatch")).toMatch(/isn’t connected to the account you’re signed in to/);
    expect(await signInMethods(email)).toEqual(who === "somebody known" ? ["google"] : []);
    const { rows } = await server.pool.query(
      "SELECT confirmed_at > now() - interval '1 minute' AS is_fresh FROM session WHERE user_id = $1",
      [id],
    );
    expect(rows).toEqual([{ is_fresh: false }]);
  });
});

/** Goes to a provider and comes back. */
async function come(browser: Browser, provider: Provider, somebody: Somebody, intent = "sign_in") {
  return browser.get(await choose(browser, provider, somebody, intent));
}

async function choose(browser: Browser, provider: Provider, somebody: Somebody, intent: string) {
  // Google always tells the address, unless a knob keeps it from that.
  if (provider === "google" && somebody.isShared === false) await turnKnobs(server, { email: "omit" });
  const return_to = intent === "sign_in" ? "/dashboard" : "/account";
  return chooseAt(browser, await beginAt(browser, provider, { intent, return_to }), somebody);
}

function expectRefusedOnPage(answer: Response, provider: Provider, error: SignInError) {
  expect(answer.headers.get("location")).toBe(
    `/account?provider=${provider}&error=${error}${endOf(provider)}`,
  );
  expect(TABLE).toContain(`\`${error}\``);
}

/** The sandbox's people are their addresses, so each test has its own; upper case, as people type. */
function addressOf(name: string): string {
  return `${name}-${randomUUID()}@example.com`;
}

/** Somebody signed in whose address is theirs. */
async function createProfile({ isVerified = true } = {}) {
  const [user = { id: "", cookie: "" }] = await createSignedInUsers(server.pool, 1);
  await server.pool.query(`UPDATE "user" SET email_verified = $2 WHERE id = $1`, [user.id, isVerified]);
  return user;
}

async function userOf(email: string) {
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
