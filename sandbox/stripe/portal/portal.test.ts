import { afterAll, beforeAll, expect, test } from "vitest";
import { cardsOf, startTestSandbox } from "../../testing/stripe.ts";
import { CARD, openPortal, post, RETURN_URL, textOf } from "./portal.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

test("the first page shows plan, cards, billing details and invoices, and the way back", async () => {
  const { url } = await openPortal(running.stripe);
  const page = await fetch(url);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-security-policy")).toContain("form-action 'self' http://shop.example;");
  const markup = await page.clone().text();
  expect(markup).toContain(`<a href="${RETURN_URL}">← Return to the site</a>`);
  expect(markup).not.toContain("<script");
  const text = await textOf(page);
  expect(text).toContain("CSV + Banking $49.99 per year Renews on ");
  expect(text).toContain("Visa ending in 4242");
  expect(text).toContain("ada@example.com Change billing details");
  expect(text).toMatch(/Invoices .* \$49\.99 · Paid/);
});

test("billing details are changed", async () => {
  const { stripe } = running;
  const { customer, url } = await openPortal(running.stripe);
  const typed = {
    name: "Ada <b>",
    email: "ada@new.example",
    line1: "1 Main St",
    city: "London",
    country: "gb",
  };
  expect((await post(`${url}/details`, typed)).status).toBe(303);
  expect(await stripe.customers.retrieve(customer)).toMatchObject({
    name: "Ada <b>",
    email: "ada@new.example",
    address: { line1: "1 Main St", city: "London", country: "GB" },
  });
  expect(await (await fetch(`${url}/home`)).text()).toContain(">Ada &#60;b&#62;<");
  const refused = await post(`${url}/details`, { ...typed, email: "nobody" });
  expect(refused.status).toBe(400);
  expect(await textOf(refused)).toContain("Invalid email address: nobody");
});

test("what belongs to somebody else does not exist", async () => {
  const mine = await openPortal(running.stripe);
  const theirs = await openPortal(running.stripe);
  const [card] = await cardsOf(running.pool, theirs.customer);
  for (const path of [`card/${card?.id}/remove`, `card/${card?.id}/default`, `card/${card?.id}/authenticate`])
    expect((await post(`${mine.url}/${path}`)).status).toBe(404);
});

test("a session ends five minutes after it was made, or an hour after it was used", async () => {
  const { pool } = running;
  const age = (column: string, id: string, minutes: number) =>
    pool.query(
      `UPDATE sandbox_stripe.portal_visits SET ${column} = now() - make_interval(mins => $2) WHERE session = $1`,
      [id, minutes],
    );
  const unused = await openPortal(running.stripe);
  await age("created_at", unused.session.id, 6);
  const over = await fetch(unused.url);
  expect(over.status).toBe(410);
  expect(await over.text()).toContain(`href="${RETURN_URL}"`);
  expect((await post(`${unused.url}/card`, CARD)).status).toBe(410);

  const used = await openPortal(running.stripe);
  expect((await fetch(used.url)).status).toBe(200);
  await age("created_at", used.session.id, 300);
  await age("visited_at", used.session.id, 59);
  expect((await fetch(used.url)).status).toBe(200);
  await age("visited_at", used.session.id, 61);
  expect((await fetch(used.url)).status).toBe(410);
});

test("an address that leads nowhere has a page of its own", async () => {
  const { url } = await openPortal(running.stripe);
  for (const path of ["/nowhere", "/card/pm_none/remove/it", "/constructor"])
    expect((await fetch(url + path)).status).toBe(404);
  expect(await textOf(fetch(`${running.origin}/sandbox/stripe/portal/bps_none`))).toContain("does not exist");
  expect((await post(`${url}/details`, { name: "A\0da", email: "ada@example.com" })).status).toBe(303);
  const wrongMethod = await fetch(`${url}/card`, { method: "DELETE" });
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET, POST"]);
});
