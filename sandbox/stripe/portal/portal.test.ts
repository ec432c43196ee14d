import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";
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

test("billing details are changed as far as the configuration allows", async () => {
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

  const { id: configuration } = await stripe.billingPortal.configurations.create({
    features: { customer_update: { enabled: true, allowed_updates: ["name"] } },
  });
  const other = await openPortal(running.stripe, { configuration });
  await post(`${other.url}/details`, typed);
  expect(await stripe.customers.retrieve(other.customer)).toMatchObject({
    name: "Ada <b>",
    email: "ada@example.com",
    address: null,
  });
  for (const path of ["card", `cancel/${other.subscription.id}`, `change/${other.subscription.id}`])
    expect((await fetch(`${other.url}/${path}`)).status).toBe(404);
});

test("what belongs to somebody else does not exist", async () => {
  const { stripe } = running;
  const mine = await openPortal(running.stripe);
  const theirs = await openPortal(running.stripe);
  const [card] = (await stripe.customers.listPaymentMethods(theirs.customer)).data;
  for (const path of [
    `card/${card?.id}/remove`,
    `cancel/${theirs.subscription.id}`,
    `keep/${theirs.subscription.id}`,
  ])
    expect((await post(`${mine.url}/${path}`)).status).toBe(404);
  expect((await fetch(`${mine.url}/change/${theirs.subscription.id}`)).status).toBe(404);
  expect(await stripe.subscriptions.retrieve(theirs.subscription.id)).toMatchObject({ cancel_at: null });
  const flow_data = {
    type: "subscription_cancel",
    subscription_cancel: { subscription: theirs.subscription.id },
  } as const;
  await expect(
    stripe.billingPortal.sessions.create({ customer: mine.customer, flow_data }),
  ).rejects.toMatchObject({ statusCode: 400, param: "flow_data[subscription_cancel][subscription]" });
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
  expect((await fetch(`${url}/card/authenticated?setup_intent=%00`)).status).toBe(404);
  expect((await post(`${url}/details`, { name: "A\0da", email: "ada@example.com" })).status).toBe(303);
  const wrongMethod = await fetch(`${url}/card`, { method: "DELETE" });
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET, POST"]);
});

test("configurations: one is the default, others are made, listed, changed and switched off", async () => {
  const { stripe } = running;
  const configurations = stripe.billingPortal.configurations;
  const [standard] = (await configurations.list({ is_default: true })).data;
  expect(standard).toMatchObject({
    is_default: true,
    active: true,
    features: { invoice_history: { enabled: true } },
  });
  const created = await configurations.create({
    business_profile: { headline: "Own your words" },
    default_return_url: "http://shop.example/account",
    features: {
      subscription_cancel: { enabled: true, mode: "immediately", proration_behavior: "none" },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ["price"],
        products: [{ product: "prod_csv_only", prices: ["price_csv_only_monthly"] }],
      },
    },
  });
  expect(created.features).toMatchObject({
    payment_method_update: { enabled: false },
    subscription_cancel: { enabled: true, mode: "immediately" },
    subscription_update: { products: [{ prices: ["price_csv_only_monthly"] }], proration_behavior: "none" },
  });
  const changed = await configurations.update(created.id, {
    features: { invoice_history: { enabled: true }, subscription_update: { products: "" } },
    metadata: { for: "test" },
  });
  expect(changed).toMatchObject({
    features: { invoice_history: { enabled: true }, subscription_cancel: { enabled: true } },
    metadata: { for: "test" },
  });
  expect(changed.features.subscription_update.products).toBeNull();
  const { session } = await openPortal(running.stripe, { configuration: created.id, return_url: undefined });
  expect(session.return_url).toBe("http://shop.example/account");

  await configurations.update(created.id, { active: false });
  await expect(openPortal(running.stripe, { configuration: created.id })).rejects.toMatchObject({
    param: "configuration",
  });
  await expect(configurations.update(standard?.id ?? "", { active: false })).rejects.toMatchObject({
    statusCode: 400,
  });
  expect(await configurations.retrieve(created.id)).toMatchObject({ active: false });
});
