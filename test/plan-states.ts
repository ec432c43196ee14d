import type { Pool } from "pg";
import { allJobsDone, call, checkoutOf, eventually, pay } from "./http.ts";
import type { TestServer } from "./server.ts";
import { createPerson, type Person } from "./users.ts";

/** Creates a user with a paid plan that is fully synced. */
export async function openPayer(
  server: TestServer,
  price = "price_csv_banking_yearly",
): Promise<Person & { subscription: string; customer: string }> {
  const person = await createPerson(server.pool);
  const { result } = (await (await call(server, checkoutOf(server, price), person.cookie)).json()) as {
    result: { url: string };
  };
  await pay(result.url);
  const row = await eventually(async () => {
    const { rows } = await server.pool.query(
      `SELECT stripe_subscriptions.id AS subscription, stripe_customer_id AS customer
       FROM stripe_subscriptions JOIN customers USING (user_id)
       WHERE user_id = $1 AND EXISTS (SELECT FROM stripe_invoices WHERE stripe_invoices.user_id = $1)`,
      [person.id],
    );
    return rows[0];
  }, "the payment is known");
  // A running sync would overwrite what a test writes.
  await allJobsDone(server);
  return { ...person, ...row };
}

/** Sets a plan's rows to a state, as a sync would leave them. Each starts from a paid plan. */
type SetState = (pool: Pool, payer: { id: string; subscription: string }) => Promise<void>;

const RESET = `
  status = 'active', cancel_at = NULL, ended_at = NULL, trial_end = NULL, pause_behavior = NULL, resumes_at = NULL,
  next_price_id = NULL, next_amount = NULL, access_until = current_period_end + interval '7 days'`;

function state(changes: string, more: string[] = []): SetState {
  return async (pool, { id, subscription }) => {
    const set = changes ? `${RESET}, ${changes}` : RESET;
    await pool.query(`UPDATE stripe_subscriptions SET ${dedupe(set)} WHERE id = $1`, [subscription]);
    await pool.query("DELETE FROM plan_changes WHERE subscription_id = $1", [subscription]);
    await pool.query("DELETE FROM stripe_invoices WHERE user_id = $1 AND id LIKE 'in_test_open%'", [id]);
    await pool.query("UPDATE stripe_invoices SET amount_refunded = 0, status = 'paid' WHERE user_id = $1", [
      id,
    ]);
    await pool.query("UPDATE customers SET card_exp_month = 12, card_exp_year = 2034 WHERE user_id = $1", [
      id,
    ]);
    for (const query of more)
      await pool.query(query.replaceAll(":user", id).replaceAll(":sub", subscription));
  };
}

/** Keeps the last assignment of each column. */
function dedupe(assignments: string): string {
  const last = new Map(
    assignments.split(/,\s*(?=\w+ = )/).map((assignment) => [assignment.trim().split(" ")[0], assignment]),
  );
  return [...last.values()].join(", ");
}

/** @param amount in cents; without it the price of the plan */
function openInvoice(reason: string, needsAuthentication: boolean, amount = "unit_amount"): string {
  return `INSERT INTO stripe_invoices (id, user_id, subscription_id, number, status, billing_reason, currency, total, amount_due,
      amount_paid, created_at, attempt_count, needs_authentication, hosted_url, sync_ticket)
    SELECT 'in_test_open_' || ':sub', ':user', ':sub', 'OPEN-0001', 'open', '${reason}', 'usd', ${amount}, ${amount}, 0, now(), 1,
      ${needsAuthentication}, 'https://invoice.example/1', 0
    FROM stripe_subscriptions JOIN prices ON prices.id = price_id WHERE stripe_subscriptions.id = ':sub'`;
}

function wish(kind: string, applied: boolean, price: string | null = null): string {
  return `INSERT INTO plan_changes (subscription_id, user_id, kind, price_id, applied_at)
    VALUES (':sub', ':user', '${kind}', ${price ? `'${price}'` : "NULL"}, ${applied ? "now()" : "NULL"})`;
}

/** Each state of a paid plan that a page mentions. */
export const PLAN_STATES = {
  ending: state("cancel_at = current_period_end, access_until = current_period_end"),
  changing: state("next_price_id = 'price_csv_only_monthly', next_amount = 299"),
  trial: state("status = 'trialing', trial_end = current_period_end, next_payment_at = current_period_end"),
  past_due: state("status = 'past_due', access_until = now() + interval '6 days'", [
    openInvoice("subscription_cycle", false),
  ]),
  needs_authentication: state("status = 'past_due', access_until = now() + interval '6 days'", [
    openInvoice("subscription_cycle", true),
  ]),
  unpaid: state("status = 'unpaid', access_until = now() - interval '1 day'", [
    openInvoice("subscription_cycle", false),
  ]),
  incomplete: state("status = 'incomplete', access_until = now() - interval '1 day'", [
    // The one that was paid.
    "UPDATE stripe_invoices SET status = 'draft' WHERE user_id = ':user'",
    openInvoice("subscription_create", true),
  ]),
  paused: state("pause_behavior = 'void', resumes_at = now() + interval '30 days'"),
  change_declined: state("", [
    openInvoice("subscription_update", false, "2000"),
    wish("change", true, "price_csv_banking_yearly"),
  ]),
  applying: state("", [wish("cancel", false)]),
  refunding: state("", [wish("refund", false)]),
  card_expires: state("", [
    "UPDATE customers SET card_exp_month = 1, card_exp_year = 2027 WHERE user_id = ':user'",
  ]),
  refunded: state("status = 'canceled', ended_at = now(), access_until = now()", [
    "UPDATE stripe_invoices SET amount_refunded = amount_paid WHERE user_id = ':user'",
  ]),
  ended: state(
    "status = 'canceled', ended_at = now() - interval '3 days', access_until = now() - interval '3 days'",
  ),
} satisfies Record<string, SetState>;
