import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { postForm } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createSignedInUser } from "../../test/users.ts";
import { SENT_BY_SCRIPT } from "../ui/sent-by-script.ts";

const server = sharedServer();
const PATH = "/promo/redeem?secondary=";

beforeAll(async () => {
  await server.pool.query(
    "INSERT INTO promo_codes (code, tier, duration_type, duration_months) VALUES ('BY_SCRIPT', 'basic', 'months', 2)",
  );
});

const send = (path: string, cookie: string | undefined, form: Record<string, string>, more = {}) =>
  fetch(server.origin + path, {
    method: "POST",
    redirect: "manual",
    headers: {
      Origin: server.origin,
      [SENT_BY_SCRIPT]: "1",
      // A client of its own, because wrong codes are counted by client.
      "X-Forwarded-For": `2001:db8:${randomUUID().slice(0, 4)}::1`,
      ...(cookie && { cookie }),
      ...more,
    },
    body: new URLSearchParams({ form: "promo", ...form }),
  });

/** They are of the moment, to the millisecond. */
const withoutTimes = (html: string) =>
  html.replaceAll(/<\/?time[^>]*>|(?<=name="account" value=")[^"]+/g, "");

const uses = async () =>
  (await server.pool.query("SELECT used_count FROM promo_codes WHERE code = 'BY_SCRIPT'")).rows[0].used_count;

test("a script gets the form of the page and nothing else, whatever comes of the code", async () => {
  const [one, other] = [await createSignedInUser(server.pool), await createSignedInUser(server.pool)];
  for (const [form, status, said] of [
    [{ code: "" }, 400, "Please enter a promo code"],
    [{ code: "nothing" }, 400, "Invalid or expired promo code"],
    [{ code: "by_script", intent: "check" }, 200, "It gives you CSV Only until"],
    [{ code: "by_script" }, 200, "Promo code applied. BY_SCRIPT gives you CSV Only until"],
    [{ code: "by_script" }, 200, "You’ve already applied this code. BY_SCRIPT gives you CSV Only until"],
  ] as const) {
    const answer = await send(PATH, one.cookie, form);
    expect([answer.status, answer.headers.get("cache-control")]).toEqual([status, "no-store"]);
    const html = withoutTimes(await answer.text());
    expect(html).toMatch(/^<div [^>]*data-part="promo"/);
    expect(html).toContain(said);
    // The same as the page itself answers to somebody else.
    const page = withoutTimes(await (await send("/subscription", other.cookie, form)).text());
    expect(page.includes(html), `the page has ${html}`).toBe(true);
  }
  expect(await uses()).toBe(2);
});

test("nobody redeems signed out, from another site or without end", async () => {
  const signedOut = await send(PATH, undefined, { code: "by_script" });
  expect([signedOut.status, signedOut.headers.get("X-Leads-To")]).toEqual([
    204,
    "/login?return_to=%2Fsubscription%3Fpromo%3Dby_script&reason=promo",
  ]);
  const { cookie } = await createSignedInUser(server.pool);
  const before = await uses();
  expect((await send(PATH, cookie, { code: "by_script" }, { Origin: "https://evil.example" })).status).toBe(
    403,
  );
  expect(await uses()).toBe(before);
  for (let guess = 0; guess < 10; guess++)
    expect((await send(PATH, cookie, { code: `guess${guess}` })).status).toBe(400);
  const limited = await send(PATH, cookie, { code: "by_script" });
  expect(limited.status).toBe(429);
  expect(Number(limited.headers.get("Retry-After"))).toBeGreaterThan(0);
  expect(await limited.text()).toMatch(/^<div [^>]*data-part="promo".*Wait \d+ seconds and try again/);
});

test("it is no page", async () => {
  const { cookie } = await createSignedInUser(server.pool);
  const opened = await fetch(server.origin + PATH, { headers: { cookie }, redirect: "manual" });
  expect([opened.status, opened.headers.get("Location")]).toEqual([302, "/subscription"]);
  const sent = await postForm(server, PATH, { form: "promo", code: "by_script" }, cookie);
  expect([sent.status, sent.headers.get("Location")]).toEqual([307, "/subscription"]);
  const large = await postForm(server, PATH, { form: "promo", code: "x".repeat(3_000_000) }, cookie);
  expect(large.status).toBe(413);
});
