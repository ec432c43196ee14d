import { afterAll, beforeAll, expect, test } from "vitest";
import { cardsOf, press, setKnobs, startTestSandbox, textOf } from "../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

const MONTHLY = "price_csv_banking_monthly";
const CALIFORNIA = { country: "US", state: "CA", postal_code: "94103" };

/** A checkout that asks for the address and saves it. */
async function openTaxed(email = "ada@example.com") {
  const { stripe } = running;
  const customer = await stripe.customers.create({ email });
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    customer: customer.id,
    line_items: [{ price: MONTHLY, quantity: 1 }],
    success_url: "http://shop.example/dashboard",
    automatic_tax: { enabled: true },
    billing_address_collection: "required",
    customer_update: { address: "auto", name: "auto" },
  });
  return { customer: customer.id, session, url: session.url ?? "" };
}

async function invoiceOf(id: unknown) {
  return running.stripe.invoices.retrieve(String(id));
}

test("a checkout shows the tax of the typed address before it charges it, and charges what it showed", async () => {
  const { stripe } = running;
  const { customer, session, url } = await openTaxed();
  expect(session).toMatchObject({
    amount_subtotal: 499,
    amount_total: 499,
    automatic_tax: { enabled: true, status: "requires_location_inputs" },
    total_details: { amount_tax: 0 },
  });
  expect(await textOf(fetch(url))).toContain("Tax Enter your address Total due today $4.99");

  const nowhere = await press(url, "pay", { shown: "499", country: "US" });
  expect(nowhere.status).toBe(402);
  const typed = { country: "us", state: "ca", postal_code: "94103" };
  const shown = await press(url, "pay", { shown: "499", ...typed });
  expect(shown.status).toBe(200);
  expect(await textOf(shown)).toContain("Sales tax (8.5%) $0.42 Total due today $5.41");
  expect((await stripe.checkout.sessions.retrieve(session.id)).status).toBe("open");

  expect((await press(url, "pay", { shown: "541", ...typed })).status).toBe(303);
  const complete = await stripe.checkout.sessions.retrieve(session.id);
  expect(complete).toMatchObject({
    amount_total: 541,
    total_details: { amount_tax: 42 },
    automatic_tax: { status: "complete" },
  });
  const invoice = await invoiceOf(complete.invoice);
  expect(invoice).toMatchObject({
    subtotal: 499,
    total: 541,
    total_excluding_tax: 499,
    amount_paid: 541,
    automatic_tax: { enabled: true, status: "complete" },
    total_taxes: [{ amount: 42, taxable_amount: 499, tax_behavior: "exclusive" }],
    lines: { data: [{ amount: 499, taxes: [{ amount: 42 }] }] },
  });
  expect(await textOf(fetch(invoice.hosted_invoice_url ?? ""))).toContain(
    "Subtotal $4.99 Tax $0.42 Total $5.41",
  );
  expect((await stripe.customers.retrieve(customer)) as object).toMatchObject({ address: CALIFORNIA });
});

test("a change, its preview and the renewal carry the tax on; a credit gives its own back", async () => {
  const { stripe, pool } = running;
  const { customer } = await openTaxed();
  await stripe.customers.update(customer, { address: CALIFORNIA });
  await stripe.paymentMethods.attach("pm_card_visa", { customer });
  const card = (await cardsOf(pool, customer))[0]?.id ?? "";
  const subscription = await stripe.subscriptions.create({
    customer,
    items: [{ price: "price_csv_only_yearly" }],
    automatic_tax: { enabled: true },
    default_payment_method: card,
  });
  expect((await invoiceOf(subscription.latest_invoice)).amount_paid).toBe(2999 + 255);

  const item = subscription.items.data[0]?.id ?? "";
  const proration_date = subscription.items.data[0]?.current_period_start ?? 0;
  const items = [{ id: item, price: "price_csv_banking_yearly" }];
  const details = { items, proration_behavior: "always_invoice" as const, proration_date };
  const preview = await stripe.invoices.createPreview({
    subscription: subscription.id,
    subscription_details: details,
  });
  expect(preview).toMatchObject({ subtotal: 2000, amount_due: 4999 + 425 - 2999 - 255 });
  await stripe.subscriptions.update(subscription.id, {
    ...details,
    payment_behavior: "pending_if_incomplete",
  });
  const changed = await stripe.subscriptions.retrieve(subscription.id);
  expect((await invoiceOf(changed.latest_invoice)).amount_paid).toBe(preview.amount_due);
  const next = await stripe.invoices.createPreview({ subscription: subscription.id });
  expect(next).toMatchObject({ amount_due: 4999 + 425, total_taxes: [{ amount: 425 }] });
});

test("nothing is added where the seller is not registered, and nothing without automatic tax", async () => {
  const { stripe } = running;
  const { url, session } = await openTaxed();
  expect((await press(url, "pay", { shown: "499", country: "FR" })).status).toBe(303);
  const complete = await stripe.checkout.sessions.retrieve(session.id);
  expect(await invoiceOf(complete.invoice)).toMatchObject({ total: 499, total_taxes: [] });
});

test("without an address, or without finished settings, automatic tax is refused as at Stripe", async () => {
  const { stripe } = running;
  const customer = await stripe.customers.create({ email: "bob@example.com" });
  const open = () =>
    stripe.checkout.sessions.create({
      mode: "subscription",
      customer: customer.id,
      line_items: [{ price: MONTHLY, quantity: 1 }],
      success_url: "http://shop.example/",
      automatic_tax: { enabled: true },
    });
  await expect(open()).rejects.toMatchObject({ code: "customer_tax_location_invalid", statusCode: 400 });
  const registered = await stripe.tax.registrations.list({ status: "active" });
  expect(registered.data.map(({ country }) => country)).toEqual(["US", "US", "DE", "GB"]);
  expect((await stripe.tax.settings.retrieve()).status).toBe("active");

  await setKnobs(running, { tax: "pending" });
  expect(await stripe.tax.settings.retrieve()).toMatchObject({
    status: "pending",
    status_details: { pending: { missing_fields: ["head_office"] } },
  });
  await expect(open()).rejects.toMatchObject({ code: "stripe_tax_inactive" });
  await setKnobs(running, { reset: true });
});
