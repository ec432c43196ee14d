import { randomUUID } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import type { Database, Queryable } from "../../db/client.server.ts";
import { TIERS, type Tier } from "../../entitlements/tiers.ts";
import type { Site } from "../../ui/site.ts";
import type { BillingInterval } from "../plans.ts";
import type { Notice } from "./notice.ts";
import {
  accessEndsMessage,
  type CardExpiryFacts,
  cardExpiresMessage,
  type PaymentAheadFacts,
  renewalMessage,
  trialEndsMessage,
} from "./plan-messages.ts";
import { sendOnce } from "./send-once.server.ts";

const BATCH_SIZE = 100;

type Person = { userId: string; email: string; subject: string };

type Owed = Person & Pick<Notice, "kind" | "write">;

/** Safe to run concurrently: each mail is sent once. */
export async function sendTimedNotices(db: Database, site: Site): Promise<void> {
  for (const find of [findEndingAccess, findPaymentsAhead, findExpiringCards]) {
    const owed = await find(db);
    if (owed.length === 0) continue;
    await db.transaction(async (tx) => {
      const now = new Date();
      for (const person of owed) await sendOnce(tx, site, person, [{ ...person, occurredAt: now }], now);
    });
  }
}

/** Keeps mails already sent from filling the batch. */
const isUnsent = (kind: Notice["kind"], subject: SQL) => sql`NOT EXISTS (
  SELECT FROM billing_notices AS sent WHERE sent.kind = ${kind} AND sent.subject = ${subject})`;

const instantText = (column: SQL) => sql`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;
const milliseconds = (column: SQL) => sql`extract(epoch FROM ${column})::float8 * 1000`;
const RANK = sql.raw(`ARRAY[${TIERS.map((tier) => `'${tier}'`).join(", ")}]`);

/** Ending within three days without an equal plan to follow, unless the owner was told within those days. */
async function findEndingAccess(tx: Queryable): Promise<Owed[]> {
  const subject = sql`id || ' ' || ${instantText(sql`ends_at`)}`;
  const { rows } = await tx.execute<
    Person & {
      tier: Tier;
      source: "promo" | "admin" | "paid";
      promoCode: string | null;
      endsAt: number;
    }
  >(sql`
    SELECT user_id AS "userId", email, ${subject} AS subject, tier, source, promo_code AS "promoCode",
      ${milliseconds(sql`ends_at`)} AS "endsAt"
    FROM (
      SELECT id, user_id, tier, 'paid' AS source, NULL AS promo_code, cancel_at AS ends_at, canceled_at AS told_at
      FROM stripe_subscriptions
      WHERE status IN ('active', 'trialing') AND cancel_at = access_until
        -- Repeats the index's condition, which the planner cannot infer.
        AND status NOT IN ('canceled', 'incomplete_expired')
      UNION ALL
      SELECT id, user_id, tier, source, promo_code, expires_at, created_at FROM grants WHERE revoked_at IS NULL
    ) AS ending
    JOIN (SELECT id AS user_id, email FROM "user") AS owner USING (user_id)
    WHERE ends_at BETWEEN now() AND now() + interval '3 days'
      AND (told_at IS NULL OR told_at < ends_at - interval '3 days')
      AND NOT EXISTS (
        SELECT FROM held_plans AS held
        WHERE held.user_id = ending.user_id
          AND array_position(${RANK}, held.tier) >= array_position(${RANK}, ending.tier)
          AND (held.renews OR held.expires_at > ending.ends_at)
        -- Prevents a join, which would have to read everyone's plans.
        OFFSET 0
      )
      AND ${isUnsent("access_ends", subject)}
    LIMIT ${BATCH_SIZE}`);
  return rows.map(({ tier, source, promoCode, endsAt, ...person }) => {
    const facts = { tier, endsAt: new Date(endsAt), source, promoCode };
    return { ...person, kind: "access_ends", write: (recipient) => accessEndsMessage(facts, recipient) };
  });
}

type PaymentAhead = Person & {
  plan: string;
  /** In force until the payment, which may be for another plan. */
  tier: Tier;
  amount: number;
  currency: string;
  at: number;
  brand: string | null;
  last4: string | null;
};

const PAYMENT_COLUMNS = sql`user_id AS "userId", email, products.name AS plan, subscription.tier, next_amount AS amount, currency,
  ${milliseconds(sql`next_payment_at`)} AS at, card_brand AS brand, card_last4 AS last4`;

/** @param customer a table, or rows of it */
const paymentsOf = (customer: SQL) => sql`
  FROM ${customer} AS customer
  JOIN stripe_subscriptions AS subscription USING (user_id)
  JOIN prices ON prices.id = coalesce(next_price_id, price_id)
  JOIN products ON products.id = product_id
  JOIN (SELECT id AS user_id, email FROM "user") AS owner USING (user_id)
  WHERE next_amount > 0 AND next_payment_at > now()`;

/** Yearly renewals within 14 days; first payments after a trial, and monthly ones after given days, within 7. */
async function findPaymentsAhead(tx: Queryable): Promise<Owed[]> {
  const subject = sql`subscription.id || ' ' || ${instantText(sql`next_payment_at`)}`;
  const columns = sql`SELECT ${PAYMENT_COLUMNS}, ${subject} AS subject, interval, status = 'trialing' AND days_given IS NULL AS "isTrial"`;
  const { rows } = await tx.execute<PaymentAhead & { interval: BillingInterval; isTrial: boolean }>(sql`
    (${columns} ${paymentsOf(sql`customers`)} AND status = 'trialing' AND days_given IS NULL
      AND next_payment_at <= now() + interval '7 days' AND ${isUnsent("trial_ends", subject)} LIMIT ${BATCH_SIZE})
    UNION ALL
    (${columns} ${paymentsOf(sql`customers`)} AND status = 'trialing' AND days_given IS NOT NULL
      AND next_payment_at <= now() + interval '14 days'
      AND next_payment_at <= now() + CASE interval WHEN 'year' THEN interval '14 days' ELSE interval '7 days' END
      AND ${isUnsent("renewal", subject)} LIMIT ${BATCH_SIZE})
    UNION ALL
    (${columns} ${paymentsOf(sql`customers`)} AND status = 'active' AND interval = 'year'
      AND next_payment_at <= now() + interval '14 days' AND ${isUnsent("renewal", subject)} LIMIT ${BATCH_SIZE})
    LIMIT ${BATCH_SIZE}`);
  return rows.map((row) => {
    const facts = { ...paymentFacts(row), interval: row.interval };
    const [kind, write] = row.isTrial
      ? (["trial_ends", trialEndsMessage] as const)
      : (["renewal", renewalMessage] as const);
    return { ...row, kind, write: (recipient) => write(facts, recipient) };
  });
}

type ExpiringCard = PaymentAhead & { month: number; year: number; last: null };

const CARDS_LOOKED_AT = 10_000;
/** Starts at a random id, so that processes that restart often still cover every customer. */
let lastCard: string = randomUUID();

/** Cards that expire before they pay, within 30 days. No index covers this: each sweep checks the next page of customers. */
async function findExpiringCards(tx: Queryable): Promise<Owed[]> {
  const subject = sql`payment_method_id || ' ' || card_exp_year || '-' || card_exp_month`;
  const page = (condition: SQL) =>
    sql`(SELECT * FROM customers WHERE user_id ${condition} ORDER BY user_id LIMIT ${CARDS_LOOKED_AT})`;
  // One query: the page's last customer comes as a row of its own.
  const { rows } = await tx.execute<ExpiringCard | { subject: null; last: string | null }>(sql`
    SELECT * FROM (
      SELECT user_id AS last FROM customers WHERE user_id > ${lastCard} ORDER BY user_id
      OFFSET ${CARDS_LOOKED_AT - 1} LIMIT 1
    ) AS last FULL JOIN (
      SELECT ${PAYMENT_COLUMNS}, ${subject} AS subject, card_exp_month AS month, card_exp_year AS year
      ${paymentsOf(sql`(${page(sql`> ${lastCard}`)} UNION ALL ${page(sql`<= ${lastCard}`)})`)}
        AND status IN ('active', 'trialing') AND next_payment_at <= now() + interval '30 days'
        AND card_exp_month BETWEEN 1 AND 12
        AND make_timestamptz(card_exp_year, card_exp_month, 1, 0, 0, 0, 'UTC') + interval '1 month' <= next_payment_at
        AND ${isUnsent("card_expires", subject)}
      LIMIT ${BATCH_SIZE}
    ) AS expiring ON false`);
  const expiring = rows.filter((row): row is ExpiringCard => row.subject !== null);
  if (expiring.length < BATCH_SIZE) lastCard = rows.find(({ last }) => last !== null)?.last ?? "";
  return expiring.map((row) => {
    const facts: CardExpiryFacts = { ...paymentFacts(row), expires: { month: row.month, year: row.year } };
    return { ...row, kind: "card_expires", write: (recipient) => cardExpiresMessage(facts, recipient) };
  });
}

function paymentFacts({ plan, tier, amount, currency, at, brand, last4 }: PaymentAhead): PaymentAheadFacts {
  const card = brand && last4 ? { brand, last4 } : null;
  return { plan, tier, money: { amount, currency }, at: new Date(at), card };
}
