import { type SQL, sql } from "drizzle-orm";
import { deviceOf } from "../../auth/sessions.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import { type ListPage, readPage } from "../lists/keyset.server.ts";
import type { ListQuery } from "../lists/list-query.ts";
import type { Entry } from "./timeline.tsx";
import type { EntryKind } from "./timeline-words.ts";

const PAGE_SIZE = 30;

interface Source {
  kind: EntryKind;
  at: SQL;
  /** Tells entries of one kind apart. */
  id: SQL;
  /** What its words need, as a JSON object. */
  facts: SQL;
  /** The table and the condition, answered by an index. */
  from: SQL;
}

/**
 * What happened to a person, the newest first: a page of it. Each table gives as many rows as a page has at most, so that
 * neither a long history nor a late page costs more.
 *
 * @throws the 400 page for a cursor that is none
 */
export function readTimeline(
  db: Queryable,
  person: { id: string; email: string },
  stripeCustomerId: string | null,
  from: ListQuery["from"],
): Promise<ListPage<Entry>> {
  const isBackwards = from?.direction === "before";
  const [comparison, direction] = isBackwards ? [sql`>`, sql`ASC`] : [sql`<`, sql`DESC`];
  const [at, key] = from?.cursor ?? [];
  const branches = sourcesOf(person, stripeCustomerId).map((source) => {
    const itsKey = sql`${source.kind}::text || ' ' || ${source.id}`;
    const beyond = from
      ? sql`AND (${source.at}, ${itsKey}) ${comparison} (${at}::timestamptz, ${key}::text)`
      : sql``;
    return sql`(SELECT ${source.at} AS at, ${itsKey} AS key, ${source.kind}::text AS kind,
        ${source.facts} AS facts
      FROM ${source.from} AND ${source.at} IS NOT NULL ${beyond}
      ORDER BY 1 ${direction}, 2 ${direction} LIMIT ${PAGE_SIZE + 1})`;
  });
  return readPage<Entry>(
    { by: sql`entry.at`, type: "timestamptz", id: sql`entry.key`, idType: "text" },
    { isDescending: true, from },
    async ({ where, orderBy, limit, cursor }) => {
      const { rows } = await db.execute<Omit<Entry, "at"> & { milliseconds: number }>(sql`
        SELECT entry.key, entry.kind, entry.facts, ${cursor} AS cursor,
          (extract(epoch FROM entry.at) * 1000)::float8 AS milliseconds
        FROM (${sql.join(branches, sql` UNION ALL `)}) AS entry
        ${where ? sql`WHERE ${where}` : sql``}
        ORDER BY ${sql.join(orderBy, sql`, `)}
        LIMIT ${limit}`);
      return rows.map(({ milliseconds, facts, ...row }) => ({
        ...row,
        at: new Date(milliseconds),
        facts: row.kind === "signed_in" ? withDevice(facts) : facts,
      }));
    },
    PAGE_SIZE,
  );
}

/** Named here: what names a browser is for the server. */
function withDevice({ userAgent, ...facts }: Record<string, unknown>): Record<string, unknown> {
  return { ...facts, device: deviceOf(typeof userAgent === "string" ? userAgent : null) };
}

function sourcesOf({ id, email }: { id: string; email: string }, customer: string | null): Source[] {
  return [
    {
      kind: "signed_up",
      at: sql`created_at`,
      id: sql`id`,
      facts: sql`'{}'::jsonb`,
      from: sql`"user" WHERE id = ${id}`,
    },
    {
      kind: "signed_in",
      at: sql`created_at`,
      id: sql`id`,
      facts: sql`jsonb_build_object('userAgent', user_agent, 'lastSeen', updated_at, 'isOver', expires_at < now(),
        'isWaiting', needs_second_factor)`,
      from: sql`session WHERE user_id = ${id}`,
    },
    {
      kind: "payment_page",
      at: sql`created_at`,
      id: sql`id`,
      facts: sql`jsonb_build_object('price', price_id, 'status', status)`,
      from: sql`checkout_attempts WHERE user_id = ${id}`,
    },
    {
      kind: "invoice",
      at: sql`coalesce(paid_at, created_at)`,
      id: sql`id`,
      facts: sql`jsonb_build_object('id', id, 'number', number, 'status', status, 'amount', total,
        'currency', currency, 'refunded', amount_refunded, 'dispute', dispute_status)`,
      from: sql`stripe_invoices WHERE user_id = ${id}`,
    },
    {
      kind: "plan_began",
      at: sql`started_at`,
      id: sql`id`,
      facts: sql`jsonb_build_object('id', id, 'tier', tier)`,
      from: sql`stripe_subscriptions WHERE user_id = ${id}`,
    },
    {
      kind: "plan_ended",
      at: sql`ended_at`,
      id: sql`id`,
      facts: sql`jsonb_build_object('id', id, 'tier', tier)`,
      from: sql`stripe_subscriptions WHERE user_id = ${id}`,
    },
    {
      kind: "plan_change",
      at: sql`requested_at`,
      id: sql`subscription_id || ' ' || number`,
      facts: sql`jsonb_build_object('change', kind, 'price', price_id, 'reason', reason, 'comment', comment,
        'isDone', applied_at IS NOT NULL)`,
      from: sql`plan_changes WHERE user_id = ${id}`,
    },
    {
      kind: "grant",
      at: sql`created_at`,
      id: sql`id`,
      facts: sql`jsonb_build_object('tier', tier, 'code', promo_code, 'reason', reason)`,
      from: sql`grants WHERE user_id = ${id}`,
    },
    {
      kind: "grant_revoked",
      at: sql`revoked_at`,
      id: sql`id`,
      facts: sql`jsonb_build_object('tier', tier, 'code', promo_code)`,
      from: sql`grants WHERE user_id = ${id}`,
    },
    {
      kind: "mail",
      at: sql`queued_at`,
      id: sql`id::text`,
      facts: sql`jsonb_build_object('id', id::text, 'subject', subject, 'isSent', sent_at IS NOT NULL,
        'isGivenUp', given_up_at IS NOT NULL, 'failure', failure)`,
      from: sql`mails WHERE recipient = ${email}`,
    },
    {
      kind: "message",
      at: sql`created_at`,
      id: sql`id`,
      facts: sql`jsonb_build_object('id', id, 'topic', topic, 'isAnswered', answered_at IS NOT NULL)`,
      from: sql`contact_messages WHERE lower(email) = ${email}`,
    },
    {
      kind: "operator",
      at: sql`at`,
      id: sql`id::text`,
      facts: sql`jsonb_build_object('action', action, 'actor', actor, 'reason', reason)`,
      from: sql`audit_log WHERE subject = ${`user:${id}`}`,
    },
    ...(customer === null
      ? []
      : [
          {
            kind: "stripe_event" as const,
            at: sql`received_at`,
            id: sql`id`,
            facts: sql`jsonb_build_object('id', id, 'type', type, 'isHandled', handled_at IS NOT NULL)`,
            from: sql`stripe_events WHERE customer_id = ${customer}`,
          },
        ]),
  ];
}
