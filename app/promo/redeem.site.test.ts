import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { mainOf, postForm } from "../../test/http.ts";
import { postByRouter, readRouterAnswer } from "../../test/router.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createSignedInUser } from "../../test/users.ts";

const server = sharedServer();

beforeAll(async () => {
  await server.pool.query(
    "INSERT INTO promo_codes (code, tier, duration_type, duration_months) VALUES ('BY_SCRIPT', 'basic', 'months', 2)",
  );
});

/** By the router of the page, as a client of its own, because wrong codes are counted by client. */
const send = (form: Record<string, string>, cookie?: string, more = {}) =>
  postByRouter(server, "/subscription", { form: "promo", ...form }, cookie, {
    "x-forwarded-for": `2001:db8:${randomUUID().slice(0, 4)}::1`,
    ...more,
  });

const uses = async () =>
  (await server.pool.query("SELECT used_count FROM promo_codes WHERE code = 'BY_SCRIPT'")).rows[0].used_count;

const refused = (message: string) => ({ result: { status: "error", error: { code: [message] } } });

test("a page's router is told what comes of a code, and a document says the same", async () => {
  const [one, other] = [await createSignedInUser(server.pool), await createSignedInUser(server.pool)];
  const redeemed = { code: "BY_SCRIPT", tier: "basic", expiresAt: expect.any(Date) };
  for (const [form, status, told, said] of [
    [{ code: "" }, 400, refused("Please enter a promo code"), "Please enter a promo code"],
    [{ code: "nothing" }, 400, refused("Invalid or expired promo code"), "Invalid or expired promo code"],
    [
      { code: "by_script", intent: "check" },
      200,
      {
        checked: { message: null, checked: { code: "BY_SCRIPT", tier: "basic", months: 2 } },
      },
      "It gives you CSV Only until",
    ],
    [
      { code: "by_script" },
      200,
      { redeemed: { ...redeemed, isRepeat: false } },
      "Promo code applied. BY_SCRIPT gives you CSV Only until",
    ],
    [
      { code: "by_script" },
      200,
      { redeemed: { ...redeemed, isRepeat: true } },
      "You’ve already applied this code. BY_SCRIPT gives you CSV Only until",
    ],
  ] as const) {
    const answer = await send(form, one.cookie);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([status, "no-store"]);
    expect(await readRouterAnswer(answer)).toMatchObject({ data: told });
    const page = await postForm(server, "/subscription", { form: "promo", ...form }, other.cookie);
    expect(page.status).toBe(status);
    expect((await mainOf(page)).replaceAll(/<!-- -->|<\/?(time|strong)[^>]*>/g, "")).toContain(said);
  }
  expect(await uses()).toBe(2);
});

test("no code is redeemed signed out, from another site or without a limit", async () => {
  const signedOut = await send({ code: "by_script" });
  expect([signedOut.status, await readRouterAnswer(signedOut)]).toEqual([
    202,
    { redirect: "/login?return_to=%2Fsubscription%3Fpromo%3Dby_script&reason=promo" },
  ]);
  const { cookie } = await createSignedInUser(server.pool);
  const before = await uses();
  for (const from of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }])
    expect((await send({ code: "by_script" }, cookie, from)).status).toBe(403);
  expect(await uses()).toBe(before);
  for (let guess = 0; guess < 10; guess++)
    expect((await send({ code: `guess${guess}` }, cookie)).status).toBe(400);
  const limited = await send({ code: "by_script" }, cookie);
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await readRouterAnswer(limited)).toMatchObject({
    data: refused(expect.stringMatching(/^Wait \d+ seconds and try again/)),
  });
});

test.each<[what: string, body: string, error: { status: number; data: unknown }]>([
  ["a field twice", "form=promo&code=by_script&code=other", { status: 400, data: null }],
  ["a field that no form has", "form=promo&code=by_script&a[9999999]=1", { status: 400, data: null }],
  [
    "more fields than a form has",
    `form=promo&code=by_script${"&a=1".repeat(100)}`,
    { status: 400, data: expect.stringContaining("more than 100 fields") },
  ],
  [
    "a body that is too large",
    `form=promo&code=${"x".repeat(3_000_000)}`,
    { status: 413, data: expect.stringContaining("Send at most 64 KB") },
  ],
])("%s is refused in words", async (_what, body, error) => {
  const { cookie } = await createSignedInUser(server.pool);
  const before = await uses();
  const answer = await fetch(`${server.origin}/subscription.data`, {
    method: "POST",
    headers: { cookie, origin: server.origin, "content-type": "application/x-www-form-urlencoded" },
    body,
  });
  expect([answer.status, await readRouterAnswer(answer)]).toEqual([error.status, { error }]);
  expect(await uses()).toBe(before);
});

test("an encoded code is read, and a session that is renewed has its cookie on the answer", async () => {
  const { id, cookie } = await createSignedInUser(server.pool);
  await server.pool.query(
    "UPDATE session SET updated_at = now() - interval '11 minutes' WHERE user_id = $1",
    [id],
  );
  const answer = await send({ code: " by_script\u00a0" }, cookie);
  expect(await readRouterAnswer(answer)).toMatchObject({ data: { redeemed: { code: "BY_SCRIPT" } } });
  expect(answer.headers.getSetCookie().join()).toMatch(/session=/);
  expect(answer.headers.has("clear-site-data")).toBe(true);
});
