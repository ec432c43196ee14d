import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import type { Tier } from "../../entitlements/tiers.ts";
import { ENDED_STATUSES } from "../lifecycle.ts";
import type { Move } from "./describe-moves.ts";

export type MovedGrant = Pick<Move, "userId" | "days" | "endsAt">;

const daysOfGrant = (openedAt: Date) =>
  sql`ceil(extract(epoch FROM ${openedAt}::timestamptz - created_at) / 86400)::int`;

/** A grant that never ends needs no days. */
const isWaitingGrant = (tiers: readonly Tier[], openedAt: Date) => sql`
  days_given IS NULL AND revoked_at IS NULL AND ${isAmong(tiers)}
  AND created_at < ${openedAt}::timestamptz AND expires_at > ${openedAt}::timestamptz
  AND expires_at < ${openedAt}::timestamptz + interval '75 years'`;

/** The days before the opening that were paid for or a trial: the periods of paid invoices, without those refunded in full. */
const daysOfSubscription = (openedAt: Date) => sql`
  coalesce((
    SELECT ceil(sum(extract(epoch FROM upper(part) - lower(part))) / 86400)::int
    FROM unnest((
      SELECT range_agg(tstzrange(period_start, least(period_end, ${openedAt}::timestamptz)))
      FROM stripe_invoices
      WHERE subscription_id = stripe_subscriptions.id AND stripe_invoices.status = 'paid'
        AND period_start < least(period_end, ${openedAt}::timestamptz)
        AND NOT (amount_paid > 0 AND amount_refunded >= amount_paid) AND dispute_status IS DISTINCT FROM 'lost'
    )) AS part
  ), 0)`;

const isOpenSubscription = (tiers: readonly Tier[]) => sql`
  days_given IS NULL AND ${isAmong(tiers)} AND stripe_subscriptions.status NOT IN (${sql.join(
    ENDED_STATUSES.map((status) => sql`${status}`),
    sql`, `,
  )})`;

const isAmong = (tiers: readonly Tier[]): SQL =>
  sql`tier = ANY(${sql.param(`{${tiers.join(",")}}`)}::text[])`;

const isOneOf = (ids: readonly string[]) =>
  sql`user_id IN (SELECT jsonb_array_elements_text(${sql.param(JSON.stringify(ids))}::jsonb))`;

const milliseconds = (instant: SQL) => sql`extract(epoch FROM ${instant})::float8 * 1000`;

export async function findMoves(
  db: Queryable,
  userIds: readonly string[],
  tiers: readonly Tier[],
  openedAt: Date,
): Promise<Move[]> {
  if (userIds.length === 0 || tiers.length === 0) return [];
  const { rows } = await db.execute<Omit<Move, "endsAt"> & { endsAt: number }>(sql`
    SELECT kind, moved.id, user_id AS "userId", "user".email, tier, days, ${milliseconds(sql`ends`)} AS "endsAt" FROM (
      SELECT 'grant' AS kind, id, user_id, tier, ${daysOfGrant(openedAt)} AS days, expires_at AS ends
      FROM grants WHERE ${isOneOf(userIds)} AND ${isWaitingGrant(tiers, openedAt)}
      UNION ALL
      SELECT 'subscription', id, user_id, tier, ${daysOfSubscription(openedAt)}, current_period_end
      FROM stripe_subscriptions WHERE ${isOneOf(userIds)} AND ${isOpenSubscription(tiers)}
    ) AS moved JOIN "user" ON "user".id = moved.user_id
    WHERE days > 0 ORDER BY "user".email, kind, moved.id`);
  return rows.map((row) => ({ ...row, endsAt: new Date(row.endsAt) }));
}

export async function daysOwedTo(db: Queryable, subscriptionId: string, openedAt: Date): Promise<number> {
  const { rows } = await db.execute<{ days: number }>(sql`
    SELECT ${daysOfSubscription(openedAt)} AS days FROM stripe_subscriptions WHERE id = ${subscriptionId}`);
  return rows[0]?.days ?? 0;
}

/** Adds to each grant the days it waited, once. @returns the moved grants, with their new ends */
export async function moveGrants(
  tx: Queryable,
  userIds: readonly string[],
  tiers: readonly Tier[],
  openedAt: Date,
): Promise<MovedGrant[]> {
  if (userIds.length === 0 || tiers.length === 0) return [];
  const { rows } = await tx.execute<Omit<MovedGrant, "endsAt"> & { endsAt: number }>(sql`
    UPDATE grants SET days_given = ${daysOfGrant(openedAt)},
      expires_at = expires_at + ${daysOfGrant(openedAt)} * interval '24 hours'
    WHERE ${isOneOf(userIds)} AND ${isWaitingGrant(tiers, openedAt)}
    RETURNING user_id AS "userId", days_given AS days, ${milliseconds(sql`expires_at`)} AS "endsAt"`);
  return rows.map((row) => ({ ...row, endsAt: new Date(row.endsAt) }));
}
