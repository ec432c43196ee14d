import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cardsOf, openCheckout, press, startTestSandbox, textOf } from "../../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

const RETURN_URL = "http://shop.example/dashboard";

/** A card as a customer types it. */
const CARD = { number: "4242 4242 4242 4242", expiry: "12 / 34", cvc: "123" };

/** A customer who has paid for a plan, and a session of the portal for them. */
async function openPortal(stripe: Stripe, fields: Partial<Stripe.BillingPortal.SessionCreateParams> = {}) {
  const { customer, url } = await openCheckout(stripe);
  await press(url, "pay");
  const session = await stripe.billingPortal.sessions.create({
    customer,
    return_url: RETURN_URL,
    ...fields,
  });
  return { customer, session, url: session.url };
}

test("billing details are shown, and changed, and the way back leads to the seller", async () => {
  const { stripe } = running;
  const { customer, url } = await openPortal(stripe);
  const shown = await fetch(url);
  expect(shown.headers.get("content-security-policy")).toContain("form-action 'self' http://shop.example;");
  expect(await shown.text()).toContain(`<a href="${RETURN_URL}">← Return to the site</a>`);
  const typed = { name: "Ada <b>", line1: "1 Main St", city: "London", country: "gb" };
  const saved = await press(url, `details`, typed);
  expect([saved.status, saved.headers.get("location")]).toEqual([303, RETURN_URL]);
  expect(await stripe.customers.retrieve(customer)).toMatchObject({
    name: "Ada <b>",
    email: "ada@example.com",
    address: { line1: "1 Main St", city: "London", country: "GB", state: null },
  });
  expect(await (await fetch(url)).text()).toContain('value="Ada &#60;b&#62;"');
});

test("an address that leads nowhere has a page of its own", async () => {
  const { url } = await openPortal(running.stripe);
  for (const path of ["/nowhere", "/constructor"]) expect((await fetch(url + path)).status).toBe(404);
  expect(await textOf(fetch(`${running.origin}/sandbox/stripe/portal/bps_none`))).toContain(
    "There is nothing here",
  );
  expect((await press(url, `details`, { name: "A\0da" })).status).toBe(303);
  const wrongMethod = await fetch(`${url}/card`, { method: "DELETE" });
  expect([wrongMethod.status, wrongMethod.headers.get("allow")]).toEqual([405, "GET, POST"]);
});

test("a card that was typed is saved and is the default", async () => {
  const { stripe } = running;
  const { customer, url } = await openPortal(running.stripe);
  const saved = await press(url, `card`, { ...CARD, number: "5555555555554444" });
  expect([saved.status, saved.headers.get("location")]).toEqual([303, RETURN_URL]);
  const [card] = await cardsOf(running.pool, customer);
  expect(card?.card).toMatchObject({ brand: "mastercard", last4: "4444", exp_month: 12, exp_year: 2034 });
  const account = (await stripe.customers.retrieve(customer)) as Stripe.Customer;
  expect(account.invoice_settings.default_payment_method).toBe(card?.id);
});

test.each<[Partial<typeof CARD>, number, string]>([
  [{ number: "4000000000000002" }, 402, "Your card was declined."],
  [{ number: "4242424242424241" }, 402, "Your card number is incorrect."],
  [{ expiry: "13/34" }, 402, "Your card&#39;s expiration date is incomplete."],
  [{ expiry: "soon" }, 402, "Your card&#39;s expiration date is incomplete."],
  [{ number: "" }, 402, "Your card number is incorrect."],
])("a card that cannot be saved, %o, is refused beside what was typed", async (typed, status, message) => {
  const { customer, url } = await openPortal(running.stripe);
  const refused = await press(url, `card`, { ...CARD, ...typed });
  expect(refused.status).toBe(status);
  const markup = await refused.text();
  expect(markup).toMatch(new RegExp(`role="alert">[^<]*${message}`));
  expect(markup).toContain(`value="${typed.expiry ?? CARD.expiry}"`);
  expect(await cardsOf(running.pool, customer)).toHaveLength(1);
});

test("a flow for a card is one page, one press, and back to where the seller says", async () => {
  const flow_data = {
    type: "payment_method_update",
    after_completion: { type: "redirect", redirect: { return_url: "http://shop.example/card-saved" } },
  } as const;
  const { url, session } = await openPortal(running.stripe, { flow_data });
  expect(session.flow).toMatchObject({
    type: "payment_method_update",
    after_completion: { type: "redirect" },
  });
  expect(await textOf(fetch(url))).toContain("Save a card Card Card number");
  const saved = await press(url, `card`, CARD);
  expect([saved.status, saved.headers.get("location")]).toEqual([303, "http://shop.example/card-saved"]);
});
