import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { eventually } from "../../test/http.ts";
import { press, withHeldList } from "../../test/stripe.ts";
import { syncCatalogue } from "./catalogue.server.ts";
import { closeAttempt, findOpenAttempt } from "./checkout-attempt.server.ts";
import { setupShop, withNothingListed } from "./checkout-attempts.fixture.ts";
import { confirmPayment } from "./confirm.server.ts";
import { findCustomer } from "./customer.server.ts";
import { checkoutAttempts } from "./schema.ts";
import { syncCustomer } from "./sync/sync-customer.server.ts";

const { shop, appWith, choose, pageFor, before } = setupShop();

async function subscriptionsAtStripe(): Promise<number> {
  const customer = (await findCustomer(shop.database.db, shop.userId)) ?? "";
  return (await shop.stripe.subscriptions.list({ customer })).data.length;
}

test("after a price that Stripe refuses, the next choice works", async () => {
  await shop.stripe.prices.update("price_csv_only_monthly", { active: false });
  expect(await choose("price_csv_only_monthly")).toMatchObject({ ok: false, status: 503 });
  expect(await choose("price_csv_banking_yearly")).toMatchObject({ ok: true });
  await shop.stripe.prices.update("price_csv_only_monthly", { active: true });
  expect(await choose("price_csv_only_monthly")).toMatchObject({ ok: true });
});

test("a customer deleted at Stripe is replaced", async () => {
  await pageFor("price_csv_banking_yearly");
  const before = await findCustomer(shop.database.db, shop.userId);
  await shop.stripe.customers.del(before ?? "");
  const page = await pageFor("price_csv_banking_yearly");
  expect(await findCustomer(shop.database.db, shop.userId)).not.toBe(before);
  expect((await press(page, "pay")).status).toBe(303);
});

test("a session that Stripe has no longer is replaced", async () => {
  const first = await pageFor("price_csv_banking_yearly");
  await shop.database.db
    .update(checkoutAttempts)
    .set({ sessionId: "cs_test_of_another_account" })
    .where(eq(checkoutAttempts.userId, shop.userId));
  expect(await pageFor("price_csv_banking_yearly")).not.toBe(first);
});

test("an expired session is replaced", async () => {
  const first = await pageFor("price_csv_banking_yearly");
  const attempt = await findOpenAttempt(shop.database.db, shop.userId);
  await shop.stripe.checkout.sessions.expire(attempt?.sessionId ?? "");
  expect(await pageFor("price_csv_banking_yearly")).not.toBe(first);
});

test("an attempt left without a session for a day is not taken up again", async () => {
  await pageFor("price_csv_banking_yearly");
  const left = await findOpenAttempt(shop.database.db, shop.userId);
  await shop.database.db
    .update(checkoutAttempts)
    .set({ sessionId: null, createdAt: sql`now() - interval '1 day'` })
    .where(eq(checkoutAttempts.userId, shop.userId));
  await pageFor("price_csv_banking_yearly");
  expect((await findOpenAttempt(shop.database.db, shop.userId))?.id).not.toBe(left?.id);
});

test("while the first choice is paid and becomes known, the second shows no page to pay on", async () => {
  const first = await pageFor("price_csv_banking_yearly");
  // The very moment between "does this user pay already?" and "is there an open attempt?"
  const payFirst = async () => {
    await press(first, "pay");
    await syncCustomer(appWith(), (await findCustomer(shop.database.db, shop.userId)) ?? "");
  };
  const second = await choose("price_csv_only_monthly", {
    db: before(/^select .* from "checkout_attempts"/, payFirst),
  });
  expect(second).toMatchObject({ ok: false, status: 409 });
  expect(await subscriptionsAtStripe()).toBe(1);
  expect(await findOpenAttempt(shop.database.db, shop.userId)).toBeNull();
});

test("an open page is closed as soon as a plan that was bought in another way is known", async () => {
  const page = await pageFor("price_csv_banking_yearly");
  const customer = (await findCustomer(shop.database.db, shop.userId)) ?? "";
  const { id } = await shop.stripe.paymentMethods.attach("pm_card_visa", { customer });
  await shop.stripe.subscriptions.create({
    customer,
    items: [{ price: "price_csv_only_yearly" }],
    default_payment_method: id,
  });
  await syncCustomer(appWith(), customer);
  expect(await findOpenAttempt(shop.database.db, shop.userId)).toBeNull();
  expect((await press(page, "pay")).status).toBe(410);
});

test("a session written while its attempt is being closed is expired too", async () => {
  const page = await pageFor("price_csv_banking_yearly");
  const attempt = await findOpenAttempt(shop.database.db, shop.userId);
  const set = (sessionId: string | null) =>
    shop.database.db
      .update(checkoutAttempts)
      .set({ sessionId })
      .where(eq(checkoutAttempts.userId, shop.userId));
  await set(null);
  const write = () => set(attempt?.sessionId ?? null);
  await closeAttempt(appWith({ db: before(/^update "checkout_attempts"/, write) }), attempt?.id ?? "");
  expect(await findOpenAttempt(shop.database.db, shop.userId)).toBeNull();
  expect((await press(page, "pay")).status).toBe(410);
});

test("a price that is replaced, or in another currency, is refused although it is active at Stripe", async () => {
  const make = (currency: string) =>
    shop.stripe.prices.create({
      product: "prod_csv_only",
      currency,
      unit_amount: 3999,
      recurring: { interval: "year" },
    });
  const [newer, foreign] = [await make("usd"), await make("eur")];
  await syncCatalogue(shop.stripe, shop.database.db);
  await shop.database.pool.query(
    "UPDATE prices SET created_at = created_at + interval '1 minute' WHERE id = $1",
    [newer.id],
  );
  for (const id of ["price_csv_only_yearly", foreign.id])
    expect(await choose(id)).toMatchObject({
      status: 404,
      message: expect.stringContaining("Nothing was charged"),
    });
  expect(await choose(newer.id)).toMatchObject({ ok: true });
  for (const { id } of [newer, foreign]) await shop.stripe.prices.update(id, { active: false });
  await syncCatalogue(shop.stripe, shop.database.db);
  expect(await choose("price_csv_only_yearly")).toMatchObject({ ok: true });
});

test("a paid attempt stays in the way until its subscription is known", async () => {
  const page = await pageFor("price_csv_banking_yearly");
  await press(page, "pay");
  const attempt = await findOpenAttempt(shop.database.db, shop.userId);
  expect(await closeAttempt(appWith(), attempt?.id ?? "")).toBe("paid");
  expect(await findOpenAttempt(shop.database.db, shop.userId)).not.toBeNull();
  // Stripe's list may be behind: then the second choice waits, whatever it costs.
  expect(await choose("price_csv_only_monthly", { stripe: withNothingListed(shop.stripe) })).toMatchObject({
    status: 409,
    message: expect.stringContaining("still confirming"),
  });
  expect(await choose("price_csv_only_monthly")).toMatchObject({ status: 409 });
  expect(await subscriptionsAtStripe()).toBe(1);
  expect(await findOpenAttempt(shop.database.db, shop.userId)).toBeNull();
});

test("after a change of mind ten requests for the same get the same page", async () => {
  await pageFor("price_csv_only_monthly");
  const all = await Promise.all(Array.from({ length: 10 }, () => choose("price_csv_banking_yearly")));
  const urls = new Set(all.map((checkout) => (checkout.ok ? checkout.url : checkout.message)));
  expect(urls.size).toBe(1);
  expect((await press([...urls][0] ?? "", "pay")).status).toBe(303);
});

test("one customer at Stripe, however many first choices are made at once", async () => {
  await Promise.all(Array.from({ length: 8 }, () => choose("price_csv_banking_yearly")));
  const everybody = await shop.stripe.customers.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
  expect(everybody.filter((customer) => customer.metadata.user_id === shop.userId)).toHaveLength(1);
});

test("of many looks at once at what became of a payment one asks Stripe, and the others wait for its answer", async () => {
  await press(await pageFor("price_csv_banking_yearly"), "pay");
  const attempt = await findOpenAttempt(shop.database.db, shop.userId);
  const held = withHeldList(shop.stripe, "subscriptions");
  const look = () =>
    confirmPayment(appWith({ stripe: held.client }), shop.userId, attempt?.sessionId ?? "").then(
      ({ outcome }) => outcome,
    );
  const tickets = async () => (await shop.database.pool.query("SELECT last_value FROM sync_ticket")).rows[0];
  const first = look();
  await held.asked;
  const asked = await tickets();
  const others = Array.from({ length: 10 }, look);
  expect(new Set(await Promise.all([first, ...others]))).toEqual(new Set(["waiting"]));
  expect(await tickets()).toEqual(asked);
  held.handOver();
  await eventually(async () => (await look()) === "confirmed", "the payment is confirmed");
});
