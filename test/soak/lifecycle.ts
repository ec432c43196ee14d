import { randomUUID } from "node:crypto";
import type Stripe from "stripe";
import { type Dice, pick, rollDice, shuffled } from "../dice.ts";
import { control } from "../http.ts";
import { eachOf } from "../loops.ts";
import { deliver, openSite, type Site, settled } from "../running-site.ts";
import { createSignedInUsers } from "../users.ts";

const EVENTS_EACH = 6;
const PRICES = [
  "price_csv_only_monthly",
  "price_csv_only_yearly",
  "price_csv_banking_monthly",
  "price_csv_banking_yearly",
] as const;

/**
 * Many subscriptions live through random events at once, while each of Stripe's events is delivered several times, in a
 * random order, to several processes. In the end every row must be what the sandbox has, and each mail sent once.
 *
 * @returns a line for each difference
 */
export async function lifecycle(
  subscriptions: number,
  seed: number,
  { processes = 3, deliveriesEach = 5 } = {},
): Promise<string[]> {
  const dice = rollDice(seed);
  await using site = await openSite(processes);
  await control(site, { webhooks: "hold" });
  const started = Date.now();
  const lives = await startLives(site, subscriptions, dice);
  const post = createDeliveries(site, deliveriesEach, dice);
  for (let round = 0; round < EVENTS_EACH; round++) {
    await eachOf(lives, 8, (life) => live(site.stripe, life, dice));
    // Half of the waiting events arrive between the rounds, the others later.
    await post(0.5);
  }
  let { events, deliveries, left } = await post(1);
  while (left > 0) ({ events, deliveries, left } = await post(1));
  await control(site, { webhooks: "deliver" });
  await settled(site, 300);
  console.log(
    `${subscriptions} subscriptions × ${EVENTS_EACH} changes: ${events} events in ${deliveries} deliveries to ${processes} processes, ${Math.round((Date.now() - started) / 1000)} s`,
  );
  return compare(site, lives);
}

export interface Life {
  userId: string;
  customer: string;
  subscription: string;
}

export async function startLives({ stripe, pool }: Site, count: number, dice: Dice): Promise<Life[]> {
  const lives: Life[] = [];
  await eachOf(await createSignedInUsers(pool, count), 8, async ({ id: userId }) => {
    const email = `${userId}@example.com`;
    const { id: customer } = await stripe.customers.create({ email, metadata: { user_id: userId } });
    await pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $2)", [
      userId,
      customer,
    ]);
    const card = await stripe.paymentMethods.attach("pm_card_visa", { customer });
    const { id: subscription } = await stripe.subscriptions.create({
      customer,
      items: [{ price: pick(dice, PRICES) }],
      default_payment_method: card.id,
    });
    lives.push({ userId, customer, subscription });
  });
  return lives;
}

/** One random thing that Stripe or a customer can do to a subscription. */
export async function live(stripe: Stripe, { customer, subscription: id }: Life, dice: Dice): Promise<void> {
  const subscription = await stripe.subscriptions.retrieve(id);
  const [item] = subscription.items.data;
  if (subscription.status === "canceled" || !item) {
    await stripe.customers.update(customer, { name: randomUUID() });
    return;
  }
  const update = (change: Stripe.SubscriptionUpdateParams) => () => stripe.subscriptions.update(id, change);
  const items = [{ id: item.id, price: pick(dice, PRICES) }];
  const happen = pick<() => Promise<unknown>>(dice, [
    update({ cancel_at_period_end: true }),
    update({ cancel_at_period_end: false }),
    update({ items, proration_behavior: "always_invoice" }),
    update({ items, proration_behavior: "none" }),
    update({ pause_collection: { behavior: pick(dice, ["void", "keep_as_draft"]) } }),
    update({ pause_collection: "" }),
    () => refundLatest(stripe, customer),
    () => stripe.subscriptions.cancel(id),
  ]);
  await happen();
}

async function refundLatest(stripe: Stripe, customer: string): Promise<void> {
  const { data } = await stripe.charges.list({ customer, limit: 1 });
  const [charge] = data;
  if (charge?.paid && !charge.refunded) await stripe.refunds.create({ charge: charge.id });
}

/** Delivers new events: each several times, in any order. */
function createDeliveries(site: Site, each: number, dice: Dice) {
  const seen = new Set<string>();
  let waiting: object[] = [];
  let deliveries = 0;

  return async (share: number) => {
    const { rows } = await site.pool.query(
      "SELECT id, object FROM sandbox_stripe.objects WHERE kind = 'event' AND id <> ALL ($1)",
      [[...seen]],
    );
    for (const { id, object } of rows) {
      seen.add(id);
      waiting.push(...Array(each).fill(object));
    }
    waiting = shuffled(waiting, dice);
    const due = waiting.splice(0, Math.ceil(waiting.length * share));
    await eachOf(due, 24, async (event) => {
      const response = await deliver(pick(dice, site.origins), event);
      deliveries++;
      // As Stripe does: an event refused with 503 under load is delivered again later.
      if (response.status === 503) waiting.push(event);
      else if (response.status !== 200) throw new Error(`a delivery was answered with ${response.status}`);
    });
    return { events: seen.size, deliveries, left: waiting.length };
  };
}

/** The rows of these users here and of their customers in the sandbox. They must be the same. */
const STORED = `
  SELECT id, status, price_id AS of, extract(epoch FROM current_period_end)::bigint AS number,
    extract(epoch FROM cancel_at)::bigint AS cancel_at FROM stripe_subscriptions WHERE user_id = ANY ($1)
  UNION ALL SELECT id, status, subscription_id, amount_paid, NULL FROM stripe_invoices WHERE user_id = ANY ($1)
  UNION ALL SELECT mail->>'to', 'receipts', NULL, count(*), NULL FROM sandbox_mail.messages
    WHERE mail->>'subject' ~* 'receipt' AND split_part(mail->>'to', '@', 1) = ANY ($1) GROUP BY mail->>'to'`;
const AT_STRIPE = `
  WITH own AS (SELECT object, kind FROM sandbox_stripe.objects WHERE object->>'customer' = ANY ($2))
  SELECT object->>'id', object->>'status', object #>> '{items,data,0,price,id}',
    (object #>> '{items,data,0,current_period_end}')::bigint, (object->>'cancel_at')::bigint
    FROM own WHERE kind = 'subscription'
  UNION ALL SELECT object->>'id', object->>'status', object #>> '{parent,subscription_details,subscription}',
    (object->>'amount_paid')::bigint, NULL FROM own WHERE kind = 'invoice'
  UNION ALL SELECT object->>'customer_email', 'receipts', NULL, count(*), NULL FROM own
    WHERE kind = 'invoice' AND object->>'status' = 'paid' AND object->>'amount_paid' <> '0' GROUP BY 1`;

/** Compares the stored state with Stripe's, and the mails with the payments. */
export async function compare({ pool }: Pick<Site, "pool">, lives: Life[]): Promise<string[]> {
  const { rows } = await pool.query(
    `SELECT 'here' AS found, * FROM ((${STORED}) EXCEPT ALL (${AT_STRIPE})) AS here
     UNION ALL SELECT 'at Stripe', * FROM ((${AT_STRIPE}) EXCEPT ALL (${STORED})) AS there ORDER BY id`,
    [lives.map(({ userId }) => userId), lives.map(({ customer }) => customer)],
  );
  // A plan that is canceled twice is news twice, in the same words.
  const { rows: sent } = await pool.query(
    `SELECT (SELECT count(*)::int FROM sandbox_mail.messages) AS mails,
       (SELECT count(*)::int FROM billing_notices) AS notices`,
  );
  const [{ mails, notices }] = sent;
  const differences = rows.map((row) => JSON.stringify(row));
  return mails === notices ? differences : [...differences, `${mails} mails for ${notices} pieces of news`];
}
