import { createHash, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { beginAt, chooseAt, openBrowser } from "../browser.ts";
import { countMails } from "../mail.ts";
import { sharedServer } from "../server.fixture.ts";
import { createSignedInUsers } from "../users.ts";

const AT_ONCE = 50;

const server = sharedServer();

test(`one state used ${AT_ONCE} times at once: one success`, async () => {
  const browser = openBrowser(server);
  const person = someone();
  const callback = await chooseAt(browser, await beginAt(browser, "google"), person);
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => browser.get(callback)));
  const places = answers.map((answer) => answer.headers.get("location") ?? "");
  expect(places.filter((place) => place === "/dashboard")).toHaveLength(1);
  expect(places.filter((place) => place.includes("error=flow-expired"))).toHaveLength(AT_ONCE - 1);
  const { rowCount } = await server.pool.query(
    `SELECT FROM session JOIN "user" ON "user".id = user_id WHERE email = $1`,
    [person.email],
  );
  expect(rowCount).toBe(1);
});

test.each(["google", "facebook"] as const)(
  "a new person of %s who comes back in many browsers at once: one user, all signed in, one mail",
  async (provider) => {
    const person = someone();
    const browsers = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const browser = openBrowser(server);
        return { browser, callback: await chooseAt(browser, await beginAt(browser, provider), person) };
      }),
    );
    let places: (string | null)[] = [];
    const mails = await countMails(server, async () => {
      const answers = await Promise.all(browsers.map(({ browser, callback }) => browser.get(callback)));
      places = answers.map((answer) => answer.headers.get("location"));
    });
    expect(new Set(places)).toEqual(new Set([provider === "facebook" ? "/dashboard#top" : "/dashboard"]));
    expect(browsers.every(({ browser }) => browser.cookies.has("session"))).toBe(true);
    const { rows } = await server.pool.query(
      `SELECT count(DISTINCT "user".id)::int AS users, count(account.id)::int AS accounts
       FROM "user" JOIN account ON user_id = "user".id WHERE email = $1`,
      [person.email],
    );
    expect(rows).toEqual([{ users: 1, accounts: 1 }]);
    expect(mails).toBe(provider === "facebook" ? 1 : 0);
  },
);

test("two Google accounts connected to one user at once: one of them is", async () => {
  const [user = { id: "", cookie: "" }] = await createSignedInUsers(server.pool, 1);
  await server.pool.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [user.id]);
  const tabs = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const browser = openBrowser(server, user.cookie);
      const url = await beginAt(browser, "google", { intent: "connect", return_to: "/account" });
      return { browser, callback: await chooseAt(browser, url, someone()) };
    }),
  );
  const answers = await Promise.all(tabs.map(({ browser, callback }) => browser.get(callback)));
  const places = answers.map((answer) => answer.headers.get("location"));
  expect(places.filter((place) => place === "/account")).toHaveLength(1);
  expect(places.filter((place) => place?.includes("error=provider-connected"))).toHaveLength(7);
});

test("the same test catches looking first and using then", async () => {
  const browser = openBrowser(server);
  const callback = new URL(await chooseAt(browser, await beginAt(browser, "google"), someone()));
  const hash = createHash("sha256")
    .update(callback.searchParams.get("state") ?? "")
    .digest("base64url");
  const taken = await Promise.all(Array.from({ length: AT_ONCE }, () => takeNaively(hash)));
  expect(taken.filter(Boolean).length).toBeGreaterThan(1);
});

async function takeNaively(stateHash: string): Promise<boolean> {
  const { rowCount } = await server.pool.query(
    "SELECT FROM provider_flows WHERE state_hash = $1 AND used_at IS NULL",
    [stateHash],
  );
  if (!rowCount) return false;
  await server.pool.query("UPDATE provider_flows SET used_at = now() WHERE state_hash = $1", [stateHash]);
  return true;
}

function someone() {
  return { email: `${randomUUID()}@example.com` };
}
