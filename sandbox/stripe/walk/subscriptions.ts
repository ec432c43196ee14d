import type Stripe from "stripe";

const DAY_SECONDS = 24 * 60 * 60;
const MONTHLY = { items: [{ price: "price_csv_banking_monthly" }] };

/** A subscription and its invoices, in the past and to come. */
export async function walkSubscriptions(stripe: Stripe): Promise<void> {
  const customer = await payingCustomer(stripe);
  const coupon = await stripe.coupons.create({ percent_off: 10, duration: "forever" });
  const discounts = [{ coupon: coupon.id }];
  const subscription = await stripe.subscriptions.create({ customer, ...MONTHLY, discounts });
  await stripe.subscriptions.list({ customer });
  await stripe.subscriptions.retrieve(subscription.id);
  await stripe.subscriptions.deleteDiscount(subscription.id);
  const [item] = (await stripe.subscriptionItems.list({ subscription: subscription.id })).data;
  if (!item) throw new Error("The subscription has no item");
  await stripe.subscriptionItems.retrieve(item.id);
  await stripe.subscriptionItems.update(item.id, { quantity: 2 });
  await stripe.invoices.createPreview({
    customer,
    subscription: subscription.id,
    subscription_details: { items: [{ id: item.id, price: "price_csv_banking_yearly" }] },
  });
  await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });

  const [invoice] = (await stripe.invoices.list({ customer })).data;
  if (!invoice) throw new Error("The subscription was not billed");
  await stripe.invoices.retrieve(invoice.id);
  await stripe.invoices.update(invoice.id, { metadata: { why: "walk" } });
  await stripe.invoices.listLineItems(invoice.id);
  const [payment] = (await stripe.invoicePayments.list({ invoice: invoice.id })).data;
  await stripe.invoicePayments.retrieve(payment?.id ?? "");
  await stripe.subscriptions.cancel(subscription.id);

  await stripe.invoices.pay(await openInvoice(stripe, customer));
  await stripe.invoices.voidInvoice(await openInvoice(stripe, customer));
  await stripe.invoices.markUncollectible(await openInvoice(stripe, customer));
}

/** What is to happen to a subscription later. */
export async function walkSchedules(stripe: Stripe): Promise<void> {
  const customer = await payingCustomer(stripe);
  const first = await stripe.subscriptions.create({ customer, ...MONTHLY });
  const schedule = await stripe.subscriptionSchedules.create({ from_subscription: first.id });
  await stripe.subscriptionSchedules.list({ customer });
  await stripe.subscriptionSchedules.retrieve(schedule.id);
  const [phase] = schedule.phases;
  await stripe.subscriptionSchedules.update(schedule.id, {
    end_behavior: "release",
    phases: [
      { ...MONTHLY, start_date: phase?.start_date, end_date: phase?.end_date },
      { items: [{ price: "price_csv_only_monthly" }], duration: { interval: "month", interval_count: 1 } },
    ],
  });
  await stripe.subscriptionSchedules.release(schedule.id);
  const second = await stripe.subscriptionSchedules.create({ from_subscription: first.id });
  await stripe.subscriptionSchedules.cancel(second.id);
}

/** A month under a test clock: a trial without a card that pauses, goes on, and is billed anew. */
export async function walkClocks(stripe: Stripe): Promise<void> {
  const start = Math.floor(Date.now() / 1000);
  const { id: clock } = await stripe.testHelpers.testClocks.create({ frozen_time: start });
  await stripe.testHelpers.testClocks.list();
  const { id: customer } = await stripe.customers.create({ email: "waits@own.example", test_clock: clock });
  const { id } = await stripe.subscriptions.create({
    customer,
    ...MONTHLY,
    trial_period_days: 1,
    trial_settings: { end_behavior: { missing_payment_method: "pause" } },
  });
  await advance(stripe, clock, start + 2 * DAY_SECONDS);
  await payWith(stripe, customer);
  await stripe.subscriptions.resume(id, { billing_cycle_anchor: { type: "now" } });
  const { items } = await stripe.subscriptions.update(id, {
    pause_collection: { behavior: "keep_as_draft" },
  });
  await advance(stripe, clock, (items.data[0]?.current_period_end ?? 0) + 60);
  const [draft] = (await stripe.invoices.list({ customer, status: "draft" })).data;
  if (!draft) throw new Error("The renewal has no draft");
  await stripe.invoices.finalizeInvoice(draft.id);
  await stripe.testHelpers.testClocks.del(clock);
}

async function payingCustomer(stripe: Stripe): Promise<string> {
  const { id } = await stripe.customers.create({ email: "subscribes@own.example" });
  await payWith(stripe, id);
  return id;
}

async function payWith(stripe: Stripe, customer: string): Promise<void> {
  const { id } = await stripe.paymentMethods.attach("pm_card_visa", { customer });
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
}

async function openInvoice(stripe: Stripe, customer: string): Promise<string> {
  const { latest_invoice } = await stripe.subscriptions.create({
    customer,
    ...MONTHLY,
    payment_behavior: "default_incomplete",
  });
  return String(latest_invoice);
}

async function advance(stripe: Stripe, clock: string, frozen_time: number): Promise<void> {
  await stripe.testHelpers.testClocks.advance(clock, { frozen_time });
  while ((await stripe.testHelpers.testClocks.retrieve(clock)).status === "advancing");
}
