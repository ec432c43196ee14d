import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cardsOf, startTestSandbox } from "../../testing/stripe.ts";
import { CARD, openPortal, post, textOf } from "./portal.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

test("a card that was typed is saved and is the default", async () => {
  const { stripe } = running;
  const { customer, url } = await openPortal(running.stripe);
  const saved = await post(`${url}/card`, { ...CARD, number: "5555555555554444" });
  expect([saved.status, saved.headers.get("location")?.endsWith("/home?done=card")]).toEqual([303, true]);
  const data = await cardsOf(running.pool, customer);
  expect(data[0]?.card).toMatchObject({ brand: "mastercard", last4: "4444", exp_month: 12, exp_year: 2034 });
  const account = (await stripe.customers.retrieve(customer)) as Stripe.Customer;
  expect(account.invoice_settings.default_payment_method).toBe(data[0]?.id);
  expect(await textOf(fetch(`${url}/home?done=card`))).toContain("Mastercard ending in 4444 Default");

  const [, before] = data;
  await post(`${url}/card/${before?.id}/default`);
  const changed = (await stripe.customers.retrieve(customer)) as Stripe.Customer;
  expect(changed.invoice_settings.default_payment_method).toBe(before?.id);
  await post(`${url}/card/${data[0]?.id}/remove`);
  expect((await cardsOf(running.pool, customer)).map(({ id }) => id)).toEqual([before?.id]);
});

test.each<[Partial<typeof CARD>, number, string]>([
  [{ number: "4000000000000002" }, 402, "Your card was declined."],
  [{ number: "4242424242424241" }, 402, "Your card number is incorrect."],
  [{ expiry: "13/34" }, 402, "Your card&#39;s expiration month is invalid."],
  [{ expiry: "soon" }, 402, "Your card&#39;s expiration date is incomplete."],
  [{ number: "" }, 402, "Your card number is incorrect."],
])("a card that cannot be saved, %o, is refused beside what was typed", async (typed, status, message) => {
  const { customer, url } = await openPortal(running.stripe);
  const refused = await post(`${url}/card`, { ...CARD, ...typed });
  expect(refused.status).toBe(status);
  const markup = await refused.text();
  expect(markup).toMatch(new RegExp(`role="alert">[^<]*${message}`));
  expect(markup).toContain(`value="${typed.expiry ?? CARD.expiry}"`);
  expect(markup).not.toContain("123");
  expect(await cardsOf(running.pool, customer)).toHaveLength(1);
});

test("a card that its bank asks about is saved once its holder has confirmed", async () => {
  const { origin, pool } = running;
  const { customer, url } = await openPortal(running.stripe);
  const typed = { ...CARD, number: "4000 0025 0000 3155" };
  const bank = origin + ((await post(`${url}/card`, typed)).headers.get("location") ?? "");
  expect(await textOf(fetch(bank))).toContain("who saves this card");
  const failed = await post(bank, { result: "failed" });
  expect(failed.status).toBe(402);
  expect(await textOf(failed)).toContain("unable to authenticate");
  expect(await cardsOf(pool, customer)).toHaveLength(1);

  const confirmed = await post(bank, { result: "succeeded" });
  expect(confirmed.headers.get("location")).toMatch(/\/home\?done=card$/);
  expect((await cardsOf(pool, customer))[0]?.card?.last4).toBe("3155");
  expect((await post(bank, { result: "succeeded" })).status).toBe(404);
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
  const saved = await post(`${url}/card`, CARD);
  expect([saved.status, saved.headers.get("location")]).toEqual([303, "http://shop.example/card-saved"]);
});
