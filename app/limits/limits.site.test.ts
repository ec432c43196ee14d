import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import { resolve } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import { describe, expect, test } from "vitest";
import { asClient, call, checkoutOf, mainOf, postForm } from "../../test/http.ts";
import { makePhoto, uploadPhoto } from "../../test/photos.ts";
import { openPayer } from "../../test/plan-states.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { AUTH_SECRET, startServer } from "../../test/server.ts";
import { createSignedInUser, createSignedInUsers } from "../../test/users.ts";
import { ACCOUNT_LIMITS } from "../account/limits.ts";
import { BILLING_LIMITS } from "../billing/limits.ts";
import { readConfig } from "../config/config.server.ts";
import { signTime } from "../contact/fill-time.server.ts";
import type { Limit } from "./limit.ts";
import { consumeLimit } from "./rate-limit.server.ts";

const server = setupServer();

const newAddress = () => `${randomUUID()}@example.com`;

const message = () => ({
  name: "Ada Lovelace",
  email: "ada@example.com",
  topic: "idea",
  message: `Are there ${randomUUID()}?`,
  opened_at: signTime(Date.now() - 60_000, AUTH_SECRET),
});

async function newUser(): Promise<string> {
  const [user] = await createSignedInUsers(server.pool, 1);
  return user?.cookie ?? "";
}

/** Sends as many as the limit takes, all of which are answered alike, and returns the answer to one more. */
async function oneMoreThan(
  count: number,
  status: number,
  send: () => Promise<Response>,
): Promise<{ response: Response; wait: number }> {
  for (let sent = 0; sent < count; sent++) expect((await send()).status).toBe(status);
  const response = await send();
  expect(response.status).toBe(429);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return { response, wait: Number(response.headers.get("retry-after")) };
}

describe("told how long to wait, with nothing that was typed lost:", () => {
  test("joining the waitlist", async () => {
    const client = asClient();
    const email = newAddress();
    // What is refused for another reason takes no turn.
    for (let sent = 0; sent < 3; sent++)
      expect((await postForm(server, "/waitlist", { email: "ada" }, undefined, client)).status).toBe(400);
    const { response, wait } = await oneMoreThan(20, 303, () =>
      postForm(server, "/waitlist", { email: newAddress(), name: "Ada" }, undefined, client),
    );
    expect(wait).toBeGreaterThan(3500);
    const page = await mainOf(response);
    expect(page).toContain("You are not on the list yet");
    expect(page).toContain(`Wait ${Math.ceil(wait / 60)} minutes and try again`);
    expect(page).toContain('value="Ada"');
    expect((await postForm(server, "/waitlist", { email })).status).toBe(303);
  });

  test("writing to support", async () => {
    const client = asClient();
    const wrong = { ...message(), email: "" };
    for (let sent = 0; sent < 3; sent++)
      expect((await postForm(server, "/contact", wrong, undefined, client)).status).toBe(400);
    const { response, wait } = await oneMoreThan(5, 303, () =>
      postForm(server, "/contact", message(), undefined, client),
    );
    expect(wait).toBeGreaterThan(500);
    const page = await mainOf(response);
    expect(page).toContain("Your message has not been sent yet");
    expect(page).toContain(`Wait ${Math.ceil(wait / 60)} minutes and try again`);
    expect(page).toContain("Are there ");
    expect((await server.pool.query("SELECT FROM contact_messages")).rowCount).toBe(5);
  });

  test.each(["/subscription", "/test-promo"])("guessing promo codes on %s", async (path) => {
    const cookie = await newUser();
    const redeem = (code: string) => postForm(server, path, { form: "promo", code }, cookie);
    expect((await redeem(" ")).status).toBe(400);
    // What is right may be sent as often as one likes.
    for (let sent = 0; sent < 12; sent++) expect((await redeem("PREMIUM3")).status).toBe(200);
    const { response, wait } = await oneMoreThan(10, 400, () => redeem("NOSUCH"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    const page = await mainOf(response);
    expect(page).toMatch(new RegExp(`aria-invalid="true"[^>]*>.*Wait ${wait} seconds? and try again`));
    expect(page).toContain('value="NOSUCH"');
    // Nor does the right one say anything any more.
    expect((await redeem("WELCOME")).status).toBe(429);
  });

  test("guessing promo codes with many accounts; right ones never count", async () => {
    const client = asClient();
    const users = await createSignedInUsers(server.pool, 45);
    const redeem = (code: string, cookie?: string) =>
      postForm(server, "/subscription", { form: "promo", code }, cookie, client);
    for (const { cookie } of users.slice(0, 35)) expect((await redeem("WELCOME", cookie)).status).toBe(200);
    let guessing = 35;
    let tries = 0;
    const { response, wait } = await oneMoreThan(30, 400, () =>
      redeem("NOSUCH", users[tries++ % 6 === 5 ? ++guessing : guessing]?.cookie),
    );
    expect(wait).toBeGreaterThan(500);
    expect(await mainOf(response)).toContain('value="NOSUCH"');
    const fresh = users.at(-1)?.cookie;
    expect((await redeem("WELCOME", fresh)).status).toBe(429);
    expect((await postForm(server, "/subscription", { form: "promo", code: "WELCOME" }, fresh)).status).toBe(
      200,
    );
  });

  test("asking for payment pages, by a script and by a form", async () => {
    const cookie = await newUser();
    expect((await call(server, checkoutOf(server, "price_of_salt"), cookie)).status).toBe(404);
    const { response, wait } = await oneMoreThan(20, 200, () => call(server, checkoutOf(server), cookie));
    const words = wait === 1 ? "1 second" : `${wait} seconds`;
    expect(await response.json()).toEqual({
      error: { status: "RESOURCE_EXHAUSTED", message: `Wait ${words} and try again` },
    });
    const form = await postForm(server, "/subscription", { price: "price_csv_banking_yearly" }, cookie);
    expect(form.status).toBe(429);
    const later = form.headers.get("retry-after");
    expect(await mainOf(form)).toMatch(new RegExp(`Wait ${later} seconds? and try again`));
  });
});

describe("what one signed-in person could make expensive:", () => {
  async function spend(limit: Limit, id: string): Promise<void> {
    const app = { config: readConfig({ AUTH_SECRET, LIMITS_TIMES: "1" }), db: drizzle(server.pool) };
    for (let turn = 0; turn < (limit.windows[0]?.count ?? 0); turn++) await consumeLimit(app, limit, id);
  }

  test.each([
    ["changing one's name", ACCOUNT_LIMITS.profileByUser, "/account", { name: "Ada", photo: "" }],
    [
      "saving categories",
      ACCOUNT_LIMITS.categoriesByUser,
      "/dashboard/categories",
      { category_1: "Coffee", keywords_1: "No time" },
    ],
    ["cancelling", BILLING_LIMITS.planChangesByUser, "/subscription/cancel", { comment: "No time" }],
    ["keeping a plan", BILLING_LIMITS.planChangesByUser, "/dashboard", { do: "resume" }],
    ["Stripe’s page for cards", BILLING_LIMITS.portalByUser, "/dashboard", { do: "card" }],
    [
      "confirming a change",
      BILLING_LIMITS.changeReviewsByUser,
      "/subscription/change",
      { price: "price_csv_only_yearly", at: "1", due: "0" },
    ],
  ])("%s", async (_, limit, path, fields) => {
    const payer = await openPayer(server);
    await spend(limit, payer.id);
    const page = await postForm(server, path, fields as Record<string, string>, payer.cookie);
    expect([page.status, Number(page.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
    const main = await mainOf(page);
    expect(main).toMatch(/Wait \d+ seconds? and try again[.<]/);
    if ("comment" in fields || "keywords_1" in fields) expect(main).toContain("No time</textarea>");
  });

  test("uploading photos", async () => {
    const { id, cookie } = await createSignedInUser(server.pool);
    await spend(ACCOUNT_LIMITS.photoByUser, id);
    const answer = await uploadPhoto(server, cookie, await makePhoto());
    expect([answer.status, Number(answer.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
    expect(await mainOf(answer)).toContain("Wait 10 minutes and try again");
  });

  test("a copy of one's data, and what a change would cost", async () => {
    const { id, cookie } = await openPayer(server);
    for (const [limit, path] of [
      [ACCOUNT_LIMITS.exportByUser, "/account/export"],
      [BILLING_LIMITS.changeReviewsByUser, "/subscription/change?price=price_csv_only_yearly"],
    ] as const) {
      await spend(limit, id);
      const answer = await fetch(server.origin + path, { headers: { cookie } });
      expect([answer.status, Number(answer.headers.get("retry-after"))]).toEqual([429, expect.any(Number)]);
      if (path === "/account/export") expect(await answer.text()).toBe("Wait 10 minutes and try again");
    }
  });

  test("deleting one's account", async () => {
    const { id, cookie } = await createSignedInUser(server.pool);
    await spend(ACCOUNT_LIMITS.deletionByUser, id);
    const page = await postForm(
      server,
      "/account/delete",
      { email: `${id}@example.com`, subscription: "" },
      cookie,
    );
    expect(page.status).toBe(429);
    expect(await mainOf(page)).toContain("Wait 10 minutes and try again");
  });
});

test("waiting as long as the answer says is enough", async () => {
  const client = asClient();
  const join = () => postForm(server, "/waitlist", { email: newAddress() }, undefined, client);
  const { wait } = await oneMoreThan(20, 303, join);
  await server.pool.query(
    `UPDATE rate_limits
     SET hits = ARRAY(SELECT hit - make_interval(secs => $1) FROM unnest(hits) AS hit ORDER BY hit)`,
    [wait],
  );
  expect((await join()).status).toBe(303);
});

test("a client is whom the trusted proxy names, whatever it says of itself, and no address is kept", async () => {
  const join = (forwardedFor: string) =>
    postForm(server, "/waitlist", { email: newAddress() }, undefined, asClient(forwardedFor));
  let madeUp = 0;
  await oneMoreThan(20, 303, () => join(`198.51.100.${madeUp++}, 203.0.113.7`));
  expect((await join("203.0.113.8")).status).toBe(303);
  const { rows } = await server.pool.query("SELECT rate_limits::text FROM rate_limits");
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toMatch(/203\.0\.113|2001:db8|@example/);
});

test("without trusted proxies a client is its own address, whatever it says", async () => {
  const untrusting = await startServer({ TRUSTED_PROXIES: "" });
  let host = 0;
  await oneMoreThan(20, 303, () =>
    postForm(untrusting, "/waitlist", { email: newAddress() }, undefined, asClient(`203.0.113.${host++}`)),
  );
  await untrusting.stop();
});

test("no two limits share their buckets", async () => {
  const modules = globSync("app/*/limits.ts").map((file) => import(resolve(file)));
  const limits: Limit[] = (await Promise.all(modules))
    .flatMap((module) => Object.entries(module))
    .flatMap(([name, value]) => (name.endsWith("_LIMITS") ? Object.values(value as object) : []));
  const names = limits.map(({ name }) => name);
  expect(names).toContain("sign_up_by_client");
  expect(new Set(names).size).toBe(names.length);
});
