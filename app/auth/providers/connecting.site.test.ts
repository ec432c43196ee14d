import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { endOf, openBrowser, turnKnobs } from "../../../test/browser.ts";
import { mailTo } from "../../../test/mail.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { createSignedInUsers } from "../../../test/users.ts";
import { addressOf, providersOn } from "./people.fixture.ts";
import type { Provider } from "./providers.ts";
import { reasonOf, type SignInError } from "./sign-in-errors.ts";

const TABLE = readFileSync("docs/integrate.md", "utf8");

const server = sharedServer();

const { choose, come, userOf, signInMethods, providersOf } = providersOn(server);

afterEach(() => turnKnobs(server, { reset: true }));

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

  test("to another user's account", async () => {
    const { id, cookie } = await createProfile();
    const email = addressOf("taken");
    await come(openBrowser(server), "facebook", { email });
    const answer = await come(openBrowser(server, cookie), "facebook", { email }, "connect");
    expectRefusedOnPage(answer, "facebook", "identity-taken");
    expect(await providersOf(id)).toEqual(["credential"]);
  });

  test("to an unconfirmed address", async () => {
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

  test("signed out in the meantime, or as another user", async () => {
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
    const id = (await userOf(email))?.id;
    await server.pool.query("UPDATE session SET confirmed_at = now() - interval '1 day' WHERE user_id = $1", [
      id,
    ]);
    const answer = await come(browser, "facebook", { email }, "confirm");
    expect(answer.headers.get("location")).toBe("/account#top");
    const { rows } = await server.pool.query(
      "SELECT confirmed_at > now() - interval '1 minute' AS is_fresh FROM session WHERE user_id = $1",
      [id],
    );
    expect(rows).toEqual([{ is_fresh: true }]);
  });

  test.each(["a new person", "a known person"])(
    "as %s: user-mismatch, and no user is created",
    async (who) => {
      const { id, cookie } = await createProfile();
      await server.pool.query(
        "UPDATE session SET confirmed_at = now() - interval '1 day' WHERE user_id = $1",
        [id],
      );
      const email = addressOf("mismatch");
      if (who === "a known person") await come(openBrowser(server), "google", { email });
      const answer = await come(openBrowser(server, cookie), "google", { email }, "confirm");
      expect(answer.headers.get("location")).toBe(
        "/account/confirm?provider=google&error=user-mismatch&return_to=%2Faccount",
      );
      expect(reasonOf("google", "user-mismatch")).toMatch(
        /isn’t connected to the account you’re signed in to/,
      );
      expect(await signInMethods(email)).toEqual(who === "a known person" ? ["google"] : []);
      const { rows } = await server.pool.query(
        "SELECT confirmed_at > now() - interval '1 minute' AS is_fresh FROM session WHERE user_id = $1",
        [id],
      );
      expect(rows).toEqual([{ is_fresh: false }]);
    },
  );
});

function expectRefusedOnPage(answer: Response, provider: Provider, error: SignInError) {
  expect(answer.headers.get("location")).toBe(
    `/account?provider=${provider}&error=${error}${endOf(provider)}`,
  );
  expect(TABLE).toContain(`\`${error}\``);
}

/** A signed-in user with a confirmed address. */
async function createProfile({ isVerified = true } = {}) {
  const [user = { id: "", cookie: "" }] = await createSignedInUsers(server.pool, 1);
  await server.pool.query(`UPDATE "user" SET email_verified = $2 WHERE id = $1`, [user.id, isVerified]);
  return user;
}
