import { type SQL, sql } from "drizzle-orm";
import { deviceOf } from "../../auth/sessions.server.ts";
import { formatMoney } from "../../billing/plans.ts";
import type { Queryable } from "../../db/client.server.ts";
import { isTier, PLAN_NAMES } from "../../entitlements/tiers.ts";
import { type ListPage, readPage } from "../lists/keyset.server.ts";
import type { Cursor, ListQuery } from "../lists/list-query.ts";
import { type LoggedValues, sentenceOf } from "../log/sentence.ts";

const PAGE_SIZE = 30;

export interface Entry {
  key: string;
  at: Date;
  kind: string;
  topic: string;
  text: string;
  href: string | null;
  cursor: Cursor;
}

type Row = Record<string, unknown>;

interface Source {
  kind: string;
  topic: string;
  /** Must be answered by an index. */
  from: SQL;
  at: SQL;
  id?: SQL;
  columns: string;
  text: (row: Row) => string;
  href?: (row: Row) => string;
}

/** Each table gives at most a page of rows, so long histories cost no more. @throws the 400 page for an invalid cursor */
export function readTimeline(
  db: Queryable,
  person: { id: string; email: string },
  stripeCustomerId: string | null,
  from: ListQuery["from"],
): Promise<ListPage<Entry>> {
  const isBackwards = from?.direction === "before";
  const [comparison, direction] = isBackwards ? [sql`>`, sql`ASC`] : [sql`<`, sql`DESC`];
  const [at, key] = from?.cursor ?? [];
  const sources = sourcesOf(person, stripeCustomerId);
  const branches = sources.map((source) => {
    const itsKey = sql`${source.kind}::text || ' ' || ${source.id ?? sql`id`}`;
    const beyond = from
      ? sql`AND (${source.at}, ${itsKey}) ${comparison} (${at}::timestamptz, ${key}::text)`
      : sql``;
    return sql`(SELECT ${source.at} AS at, ${itsKey} AS key, ${source.kind}::text AS kind,
        (SELECT to_jsonb(named) FROM (SELECT ${sql.raw(source.columns)}) AS named) AS row
      FROM ${source.from} AND ${source.at} IS NOT NULL ${beyond}
      ORDER BY 1 ${direction}, 2 ${direction} LIMIT ${PAGE_SIZE + 1})`;
  });
  return readPage<Entry>(
    { by: sql`entry.at`, type: "timestamptz", id: sql`entry.key` },
    { isDescending: true, from },
    async ({ where, orderBy, limit, cursor }) => {
      const { rows } = await db.execute<{
        key: string;
        kind: string;
        row: Row;
        cursor: Cursor;
        milliseconds: number;
      }>(sql`
        SELECT entry.key, entry.kind, entry.row, ${cursor} AS cursor,
          (extract(epoch FROM entry.at) * 1000)::float8 AS milliseconds
        FROM (${sql.join(branches, sql` UNION ALL `)}) AS entry
        ${where ? sql`WHERE ${where}` : sql``}
        ORDER BY ${sql.join(orderBy, sql`, `)}
        LIMIT ${limit}`);
      return rows.flatMap(({ key, kind, row, cursor, milliseconds }) => {
        const source = sources.find((one) => one.kind === kind);
        if (!source) return [];
        const { topic, text, href } = source;
        const at = new Date(milliseconds);
        return { key, at, kind, topic, text: text(row), href: href?.(row) || null, cursor };
      });
    },
    PAGE_SIZE,
  );
}

function sourcesOf({ id, email }: { id: string; email: string }, customer: string | null): Source[] {
  const sources: Source[] = [
    {
      kind: "signed_up",
      topic: "Account",
      from: sql`"user" WHERE id = ${id}`,
      at: sql`created_at`,
      columns: "id",
      text: () => "Signed up",
    },
    {
      kind: "signed_in",
      topic: "Sign-in",
      from: sql`session WHERE user_id = ${id}`,
      at: sql`created_at`,
      columns: "user_agent, updated_at, expires_at < now() AS is_over, needs_second_factor",
      text: ({ user_agent, updated_at, is_over, needs_second_factor }) => {
        const device = deviceOf(typeof user_agent === "string" ? user_agent : null);
        // The password or the provider was accepted, the second factor was not.
        if (needs_second_factor) return `Took the first step of logging in and not the second: ${device}`;
        return sentence(`Signed in: ${device}, last seen ${minute(updated_at)}`, [is_over && "over"]);
      },
    },
    {
      kind: "payment_page",
      topic: "Payment",
      from: sql`checkout_attempts WHERE user_id = ${id}`,
      at: sql`created_at`,
      columns: `${PLAN}, status`,
      text: ({ plan, status }) => `Opened the payment page for ${plan} (${status})`,
    },
    {
      kind: "invoice",
      topic: "Payment",
      from: sql`stripe_invoices WHERE user_id = ${id}`,
      at: sql`coalesce(paid_at, created_at)`,
      columns: "coalesce(number, id) AS number, status, total, currency, amount_refunded, dispute_status",
      text: ({ number, status, total, currency, amount_refunded, dispute_status }) => {
        const money = (amount: unknown) => formatMoney(Number(amount), String(currency));
        return sentence(`Invoice ${number}: ${money(total)}, ${status}`, [
          Number(amount_refunded) > 0 && `${money(amount_refunded)} refunded`,
          dispute_status && `dispute ${dispute_status}`,
        ]);
      },
    },
    {
      kind: "plan_began",
      topic: "Plan",
      from: sql`stripe_subscriptions WHERE user_id = ${id}`,
      at: sql`started_at`,
      columns: "id, tier",
      text: ({ id, tier }) => `${planName(tier)} began (${id})`,
    },
    {
      kind: "plan_ended",
      topic: "Plan",
      from: sql`stripe_subscriptions WHERE user_id = ${id}`,
      at: sql`ended_at`,
      columns: "id, tier",
      text: ({ id, tier }) => `${planName(tier)} ended (${id})`,
    },
    {
      kind: "plan_change",
      topic: "Plan",
      from: sql`plan_changes WHERE user_id = ${id}`,
      at: sql`requested_at`,
      id: sql`subscription_id || ' ' || number`,
      columns: `kind, ${PLAN}, reason, comment, applied_at`,
      text: ({ kind, plan, reason, comment, applied_at }) => {
        const change = `${PLAN_CHANGES[String(kind)] ?? kind}${plan ? ` to ${plan}` : ""}`;
        return sentence(change, [reason, comment, !applied_at && "not done yet"]);
      },
    },
    {
      kind: "grant",
      topic: "Access",
      from: sql`grants WHERE user_id = ${id}`,
      at: sql`created_at`,
      columns: "tier, promo_code, reason",
      text: ({ tier, promo_code, reason }) =>
        promo_code
          ? `Redeemed ${promo_code}: ${planName(tier)}`
          : `Was given ${planName(tier)}${reason ? `: ${reason}` : ""}`,
      href: ({ promo_code }) => (promo_code ? `/admin/codes/${encodeURIComponent(String(promo_code))}` : ""),
    },
    {
      kind: "grant_revoked",
      topic: "Access",
      from: sql`grants WHERE user_id = ${id}`,
      at: sql`revoked_at`,
      columns: "tier, promo_code",
      text: ({ tier, promo_code }) =>
        `Lost ${planName(tier)}${promo_code ? ` from ${promo_code}` : ""}: revoked`,
    },
    {
      kind: "mail",
      topic: "Email",
      from: sql`mails WHERE recipient = ${email}`,
      at: sql`queued_at`,
      id: sql`id::text`,
      columns: "id::text, subject, sent_at, given_up_at, failure",
      text: ({ subject, sent_at, given_up_at, failure }) =>
        sentence(String(subject), [sent_at ? "sent" : given_up_at ? "given up" : "waiting", failure]),
      href: ({ id }) => `/admin/mail/${id}`,
    },
    {
      kind: "message",
      topic: "Message",
      from: sql`contact_messages WHERE lower(email) = ${email}`,
      at: sql`created_at`,
      columns: "id, topic, answered_at",
      text: ({ topic, answered_at }) =>
        `Wrote to us (${topic}), ${answered_at ? "answered" : "not answered yet"}`,
      href: ({ id }) => `/admin/messages/${id}`,
    },
    {
      kind: "operator",
      topic: "Operator",
      from: sql`audit_log WHERE subject = ${`user:${id}`}`,
      at: sql`at`,
      id: sql`id::text`,
      columns: "action, before, after, actor, reason",
      text({ action, actor, reason, ...values }) {
        const change = { action: String(action), subject: `user:${id}`, ...(values as LoggedValues) };
        return sentence(`${actor} ${sentenceOf(change)}`, [reason]);
      },
    },
  ];
  if (customer !== null)
    sources.push({
      kind: "stripe_event",
      topic: "Stripe",
      from: sql`stripe_events WHERE customer_id = ${customer}`,
      at: sql`received_at`,
      columns: "id, type, handled_at",
      text: ({ id, type, handled_at }) => sentence(`${type} (${id})`, [!handled_at && "not handled yet"]),
    });
  return sources;
}

/** "CSV + Banking, yearly" */
const PLAN = `coalesce((SELECT name || ', ' || interval || 'ly' FROM prices JOIN products ON products.id = product_id
  WHERE prices.id = price_id), price_id) AS plan`;

const PLAN_CHANGES: Record<string, string> = {
  cancel: "Asked to cancel",
  resume: "Asked to keep the plan",
  change: "Asked to change plan",
  refund: "Asked for a refund",
  withdraw: "Withdrew from the contract",
};

function planName(tier: unknown): string {
  return isTier(tier) ? PLAN_NAMES[tier] : String(tier);
}

/** @param further left out where empty */
function sentence(start: string, further: unknown[]): string {
  return [start, ...further.filter(Boolean)].join(", ");
}

function minute(value: unknown): string {
  return String(value).slice(0, 16).replace("T", " ");
}
