import type Stripe from "stripe";

export const DAY = 24 * 60 * 60;
/** 2026-01-31 12:00 UTC: months after it differ in length. */
export const START = Date.UTC(2026, 0, 31, 12) / 1000;

export function seconds(date: string): number {
  return Date.parse(date) / 1000;
}

/** A customer on a clock of their own, with a card unless it is null, and what tests do with them. */
export async function customerOnClock(
  stripe: Stripe,
  card: string | null = "pm_card_visa",
  frozen_time = START,
) {
  const clock = await stripe.testHelpers.testClocks.create({ frozen_time });
  const customer = await stripe.customers.create({ email: "ada@example.com", test_clock: clock.id });
  let told = new Set<string>();
  if (card) await setCard(card);

  /** Attaches a new card and makes it the one that pays. */
  async function setCard(name: string): Promise<Stripe.PaymentMethod> {
    const method = await stripe.paymentMethods.attach(name, { customer: customer.id });
    await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: method.id } });
    return method;
  }

  function subscribe(price: string, params: Stripe.SubscriptionCreateParams = {}) {
    return stripe.subscriptions.create({ customer: customer.id, items: [{ price }], ...params });
  }

  async function advance(to: number): Promise<void> {
    await stripe.testHelpers.testClocks.advance(clock.id, { frozen_time: to });
  }

  async function onlySubscription(): Promise<Stripe.Subscription> {
    const { data } = await stripe.subscriptions.list({ customer: customer.id, status: "all" });
    const [subscription] = data;
    if (!subscription || data.length > 1) throw new Error(`${data.length} subscriptions`);
    return subscription;
  }

  /** Newest first. */
  async function invoices(): Promise<Stripe.Invoice[]> {
    return (await stripe.invoices.list({ customer: customer.id, limit: 100 })).data;
  }

  /** The types of the events about the customer since the last call, the oldest first, with their time if `withTime`. */
  async function newEvents(): Promise<{ type: string; at: number }[]> {
    const events = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 2_000 });
    const own = events.filter((event) => JSON.stringify(event.data).includes(customer.id));
    const fresh = own.filter(({ id }) => !told.has(id)).reverse();
    told = new Set(own.map(({ id }) => id));
    return fresh.map(({ type, created }) => ({ type, at: created }));
  }

  /** New event types that match, without the matched prefix. */
  async function newEventTypes(pattern: RegExp): Promise<string[]> {
    return (await newEvents()).map(({ type }) => type).filter((type) => pattern.test(type));
  }

  return {
    clock,
    customer,
    setCard,
    subscribe,
    advance,
    onlySubscription,
    invoices,
    newEvents,
    newEventTypes,
  };
}

/** The first period is January 31 to February 28: 28 days. */
export const HALF = START + 14 * DAY;

/** A subscription that has run for half of its first period. */
export async function halfway(stripe: Stripe, price: string) {
  const on = await customerOnClock(stripe);
  const { id, items } = await on.subscribe(price);
  await on.advance(HALF);
  return { ...on, id, item: String(items.data[0]?.id) };
}

export function linesOf({ lines }: Stripe.Invoice) {
  return lines.data.map(({ amount, description }) => [amount, description]);
}
