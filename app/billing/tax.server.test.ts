import { press } from "@ownwords/sandbox/testing";
import type Stripe from "stripe";
import { beforeEach, expect, test } from "vitest";
import { createSignedInUser } from "../../test/users.ts";
import { readConfig } from "../config/config.server.ts";
import { setupBilling, stripeWith } from "./billing.fixture.ts";
import { createCheckoutSession } from "./checkout.server.ts";
import { findCustomer } from "./customer.server.ts";
import { requestPlanChange } from "./plan/apply-plan-change.server.ts";
import { confirmChange, loadChange } from "./plan/change.server.ts";
import { reviewPlanChange } from "./plan/change-by-operator.server.ts";
import { reviewEnd } from "./plan/end-by-operator.server.ts";
import { readPlanAndPayments } from "./plan/plan-overview.server.ts";
import { syncCustomer } from "./sync/sync-customer.server.ts";

const { billing, appWith, setStripe } = setupBilling();
const TAXED = readConfig({ AUTH_SECRET: "x".repeat(32), STRIPE_TAX: "on" });

beforeEach(() => setStripe({ reset: true }));

const taxed = (stripe?: Stripe) => ({ ...appWith(stripe && { stripe }), config: TAXED });
type Shop = ReturnType<typeof taxed>;
const CALIFORNIA = { country: "US", state: "CA", postal_code: "94103" };

async function choose(app: Shop, price: string) {
  const { id } = await createSignedInUser(billing.database.pool);
  const user = {
    id,
    name: "Ada",
    email: `${id}@example.com`,
    emailVerified: true,
    image: null,
    timeZone: null,
  };
  const { publicOrigin } = app.config;
  const urls = { success_url: `${publicOrigin}/dashboard`, cancel_url: `${publicOrigin}/subscription` };
  const checkout = await createCheckoutSession(app, user, { price, ...urls });
  return { user, checkout };
}

/** Somebody in California who bought a plan on Stripe's page. */
async function buy(price: string, app = taxed()) {
  const { user, checkout } = await choose(app, price);
  if (!checkout.ok) throw new Error(checkout.message);
  expect((await press(checkout.url, "pay", CALIFORNIA)).status).toBe(303);
  const customer = (await findCustomer(billing.database.db, user.id)) ?? "";
  const sync = () => syncCustomer({ ...appWith(), config: TAXED }, customer);
  await sync();
  const paid = async () => (await readPlanAndPayments(app, user.id))?.invoices ?? [];
  const plan = async () => (await readPlanAndPayments(app, user.id))?.plan;
  return { user, customer, sync, paid, plan };
}

async function mailsTo({ email }: { email: string }) {
  const { rows } = await billing.database.pool.query<{ text: string }>(
    "SELECT payload->>'text' || (payload->'paragraphs')::text AS text FROM outbox WHERE kind = 'send_mail' AND payload->>'to' = $1 ORDER BY id",
    [email],
  );
  return rows.map(({ text }) => text).join("\n");
}

function formOf(fields: Record<string, string | number>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  return form;
}

test("a plan is bought with the tax of the address, and receipt, invoice and next payment have it", async () => {
  const { user, paid, plan } = await buy("price_csv_banking_monthly");
  expect(await paid()).toMatchObject([{ total: 541, tax: 42, status: "paid" }]);
  expect(await plan()).toMatchObject({
    next: { amount: 541 },
    plusTax: ", plus tax where it applies",
    refundable: { total: 541 },
  });
  const { rows } = await billing.database.pool.query(
    "SELECT payload FROM outbox WHERE kind = 'send_mail' AND payload->>'to' = $1",
    [user.email],
  );
  expect(JSON.stringify(rows)).toContain("You paid $5.41 (including $0.42 tax) for CSV + Banking");
});

test("a better plan costs what its preview said, for the customer and for the operator, tax included", async () => {
  const { user, paid, plan } = await buy("price_csv_only_yearly");
  const app = taxed();
  const page = await loadChange(app, user, "price_csv_banking_yearly");
  const review = page?.review;
  if (!review) throw new Error("There is no review");
  expect(review).toMatchObject({ due: 2170, tax: 170, next: { amount: 5424, tax: 425 } });
  expect(review.terms).toContain("You pay $21.70, including $1.70 tax, today");
  const byOperator = await reviewPlanChange(app, user, "price_csv_banking_yearly");
  expect(byOperator).toMatchObject({ review: { next: { amount: 5424, tax: 425 } } });
  expect(byOperator.ok && byOperator.mails[0]?.paragraphs.join(" ")).toMatch(
    /We’re charging \$21\.\d\d \(including \$1\.\d\d tax\) today.* next payment is \$54\.24 \(including \$4\.25 tax\)/,
  );
  const at = Math.floor(review.startsAt.getTime() / 1000);
  const form = formOf({ price: review.price.id, at, due: review.due });
  expect(await confirmChange(app, user, form)).toEqual({ ok: true, path: "/dashboard" });
  // Both may be of the same second.
  const invoices = (await paid()).toSorted((one, other) => one.total - other.total);
  expect(invoices).toMatchObject([{ total: review.due, tax: review.tax }, { total: 3254 }]);
  expect(await plan()).toMatchObject({ name: "CSV + Banking", next: { amount: review.next.amount } });
});

test("a smaller plan is taxed from the next payment on, as its review said", async () => {
  const { user, customer, sync, paid, plan } = await buy("price_csv_banking_monthly");
  const app = taxed();
  const review = (await loadChange(app, user, "price_csv_only_monthly"))?.review;
  if (!review) throw new Error("There is no review");
  expect(review).toMatchObject({ due: 0, tax: 0, next: { amount: 324, tax: 25 } });
  const at = Math.floor(review.startsAt.getTime() / 1000);
  await confirmChange(app, user, formOf({ price: review.price.id, at, due: 0 }));
  expect(await plan()).toMatchObject({ nextPlan: { name: "CSV Only" }, next: { amount: 324 } });
  await fetch(`${billing.sandbox.origin}/sandbox/stripe/control/clocks`, {
    method: "POST",
    body: JSON.stringify({ customer, frozen_time: at + 3600 }),
  });
  await sync();
  expect(await paid()).toMatchObject([{ total: 324, tax: 25, status: "paid" }, { total: 541 }]);
});

test("a whole refund gives back the tax, by the customer’s own button and by an operator’s", async () => {
  const buyer = await buy("price_csv_banking_yearly");
  const terms = { when: "now", refund: "whole", amount: "" } as const;
  expect(await reviewEnd(taxed(), buyer.user, terms)).toMatchObject({ ok: true, total: 5424 });
  expect(await requestPlanChange(taxed(), buyer.user.id, { kind: "refund" })).toEqual({ ok: true });
  const { data } = await billing.stripe.charges.list({ customer: buyer.customer });
  expect(data).toMatchObject([{ amount: 5424, amount_refunded: 5424 }]);
  expect(await buyer.paid()).toMatchObject([{ amountRefunded: 5424 }]);
  expect(await mailsTo(buyer.user)).toContain("$54.24");
});

test("where nothing is collected the price is what is paid, and no tax is named", async () => {
  const { user, checkout } = await choose(taxed(), "price_csv_banking_monthly");
  if (!checkout.ok) throw new Error(checkout.message);
  await press(checkout.url, "pay", { country: "FR" });
  const customer = (await findCustomer(billing.database.db, user.id)) ?? "";
  await syncCustomer({ ...appWith(), config: TAXED }, customer);
  expect((await readPlanAndPayments(taxed(), user.id))?.invoices).toMatchObject([{ total: 499, tax: 0 }]);
  expect(await mailsTo(user)).not.toContain("tax");
});

test("off, Stripe is asked for what it was asked for before; turned on, an open payment page is replaced", async () => {
  const asked: Stripe.Checkout.SessionCreateParams[] = [];
  const { sessions } = billing.stripe.checkout;
  const create = (params: Stripe.Checkout.SessionCreateParams, options: Stripe.RequestOptions) => {
    asked.push(params);
    return sessions.create(params, options);
  };
  const stripe = stripeWith(billing.stripe, {
    checkout: {
      sessions: new Proxy(sessions, {
        get: (target, key) => (key === "create" ? create : Reflect.get(target, key).bind(target)),
      }),
    },
  });
  const { user, checkout } = await choose(appWith({ stripe }), "price_csv_only_monthly");
  expect(checkout.ok).toBe(true);
  expect(Object.keys(asked[0] ?? {})).toEqual([
    ...["mode", "customer", "client_reference_id", "line_items", "success_url", "cancel_url"],
    ...["custom_text", "subscription_data"],
  ]);
  expect(asked[0]?.custom_text?.submit).not.toMatchObject({ message: expect.stringContaining("tax") });
  const { publicOrigin } = TAXED;
  const again = await createCheckoutSession(taxed(stripe), user, {
    price: "price_csv_only_monthly",
    success_url: `${publicOrigin}/dashboard`,
    cancel_url: `${publicOrigin}/subscription`,
  });
  expect(again.ok && checkout.ok && again.url !== checkout.url).toBe(true);
  expect(asked[1]).toMatchObject({
    automatic_tax: { enabled: true },
    billing_address_collection: "required",
  });
  const customer = (await findCustomer(billing.database.db, user.id)) ?? "";
  const open = await billing.stripe.checkout.sessions.list({ customer, status: "open" });
  expect(open.data).toHaveLength(1);
});

test("while Stripe Tax is not set up nobody can buy, and nothing is left open", async () => {
  await setStripe({ tax: "pending" });
  const { checkout } = await choose(taxed(), "price_csv_only_monthly");
  expect(checkout).toMatchObject({ ok: false, status: 503 });
});
