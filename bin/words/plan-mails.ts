import { randomUUID } from "node:crypto";
import { drizzle } from "drizzle-orm/node-postgres";
import type Stripe from "stripe";
import { sendTimedNotices } from "../../app/billing/notices/timed.server.ts";
import { connectPayments } from "../../app/billing/stripe.server.ts";
import { readConfig } from "../../app/config/config.server.ts";
import { createLog } from "../../app/log/log.server.ts";
import { endUnconfirmedAccounts } from "../../app/unconfirmed-accounts.server.ts";
import { allJobsDone, postForm } from "../../test/http.ts";
import { openPayer } from "../../test/plan-states.ts";
import { AUTH_SECRET, type TestServer } from "../../test/server.ts";
import { createPerson } from "../../test/users.ts";

const MONTH_SECONDS = 32 * 24 * 60 * 60;

/** Has every mail about a plan written, by what causes it. */
export async function causePlanMails(server: TestServer): Promise<void> {
  await cancelAndEnd(server);
  for (const card of ["pm_card_chargeCustomerFail", "pm_card_authenticationRequired"])
    await renewBy(server, card);
  await comeCloseToDates(server);
  await askForWhatIsGone(server);
  await leaveDuringDispute(server);
}

/** The mail to an account whose address nobody confirmed, some days before it ends. */
export async function causeEndingMail({ pool, port }: TestServer): Promise<void> {
  const { id } = await createPerson(pool);
  await pool.query(
    `UPDATE "user" SET email_verified = false, created_at = now() - interval '24 days' WHERE id = $1`,
    [id],
  );
  const config = readConfig({ AUTH_SECRET, PORT: port });
  const payments = { isOn: false as const, reason: "not needed" };
  await endUnconfirmedAccounts({ config, db: drizzle(pool), payments, log: createLog("silent") }, () => true);
}

/** The sandbox of the server. */
function stripeOf({ origin, port }: TestServer): Stripe {
  const { payments } = readConfig({ AUTH_SECRET, PORT: port });
  const connected = connectPayments(payments, `${origin}/sandbox/stripe`);
  if (!connected.isOn) throw new Error(connected.reason);
  return connected.stripe;
}

/** A receipt, a cancellation, a refund and an end at once. */
async function cancelAndEnd(server: TestServer): Promise<void> {
  const stripe = stripeOf(server);
  const { id, subscription } = await openPayer(server);
  const { rows } = await server.pool.query(
    "SELECT payment_intent_id FROM stripe_invoices WHERE user_id = $1",
    [id],
  );
  await stripe.subscriptions.update(subscription, { cancel_at_period_end: true });
  await allJobsDone(server);
  await stripe.refunds.create({ payment_intent: rows[0].payment_intent_id, amount: 1000 });
  await allJobsDone(server);
  await stripe.subscriptions.cancel(subscription);
  await allJobsDone(server);
}

/** A month later their card is declined, or their bank asks. */
async function renewBy(server: TestServer, card: string): Promise<void> {
  const stripe = stripeOf(server);
  const { customer, subscription } = await openPayer(server, "price_csv_banking_monthly");
  const { id } = await stripe.paymentMethods.attach(card, { customer });
  await stripe.subscriptions.update(subscription, { default_payment_method: id });
  const frozen_time = Math.floor(Date.now() / 1000) + MONTH_SECONDS;
  for (const body of [{ customer }, { customer, frozen_time }]) {
    const answer = await fetch(`${server.origin}/sandbox/stripe/control/clocks`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
  await allJobsDone(server);
}

/** What is told some days before: as if the dates of these plans were near. */
async function comeCloseToDates(server: TestServer): Promise<void> {
  const [renewing, trying, ending, given] = [
    await openPayer(server),
    await openPayer(server, "price_csv_banking_monthly"),
    await openPayer(server, "price_csv_only_monthly"),
    await createPerson(server.pool),
  ];
  await server.pool.query(
    `WITH renewing AS (UPDATE stripe_subscriptions SET next_payment_at = now() + interval '10 days' WHERE user_id = $1),
       card AS (UPDATE customers SET card_exp_year = 2020 WHERE user_id = $1),
       trying AS (UPDATE stripe_subscriptions SET status = 'trialing', next_payment_at = now() + interval '5 days'
         WHERE user_id = $2),
       given AS (INSERT INTO grants (id, user_id, tier, source, promo_code, created_at, expires_at)
         VALUES ($5, $4, 'premium', 'promo', 'PREMIUM3', now() - interval '30 days', now() + interval '2 days')),
       counted AS (UPDATE promo_codes SET used_count = used_count + 1 WHERE code = 'PREMIUM3')
     UPDATE stripe_subscriptions SET cancel_at = now() + interval '2 days', access_until = now() + interval '2 days',
       canceled_at = now() - interval '20 days' WHERE user_id = $3`,
    [renewing.id, trying.id, ending.id, given.id, randomUUID()],
  );
  const { site } = readConfig({ AUTH_SECRET, PORT: server.port });
  await sendTimedNotices(drizzle(server.pool), site);
}

/** A change that was saved while Stripe was away, to a price that is gone when it is applied. */
async function askForWhatIsGone(server: TestServer): Promise<void> {
  const { id, subscription } = await openPayer(server);
  await server.pool.query(
    `WITH wish AS (INSERT INTO plan_changes (subscription_id, user_id, kind, price_id)
       VALUES ($1, $2, 'change', 'price_that_is_gone'))
     INSERT INTO outbox (kind, dedupe_key, payload)
     VALUES ('apply_plan_change', $1, jsonb_build_object('subscriptionId', $1::text))`,
    [subscription, id],
  );
  await allJobsDone(server);
}

/** An account is deleted while a bank decides about a payment that was to be refunded. */
async function leaveDuringDispute(server: TestServer): Promise<void> {
  const { id, email, cookie, subscription, customer } = await openPayer(server);
  const { data } = await stripeOf(server).charges.list({ customer, limit: 1 });
  await fetch(`${server.origin}/sandbox/stripe/control/disputes`, {
    method: "POST",
    body: JSON.stringify({ charge: data[0]?.id }),
  });
  await allJobsDone(server);
  await server.pool.query(
    "INSERT INTO plan_changes (subscription_id, user_id, kind, applied_at) VALUES ($2, $1, 'refund', now())",
    [id, subscription],
  );
  const deleted = await postForm(server, "/account/delete", { email, subscription }, cookie);
  if (deleted.status !== 303) throw new Error(await deleted.text());
  await allJobsDone(server);
}
