import { and, asc, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Database, Queryable } from "../db/client.server.ts";
import { promoCodes } from "../promo/schema.ts";
import { PLACES_PER_FRIEND } from "./rules.ts";
import { waitlist } from "./schema.ts";

/*
 * Decision 0014: people stand in the order in which they confirmed; each friend who confirms moves their referrer up by five places,
 * and takes those back by leaving. `queue_position` is that order: the ticket, a whole number, until a move gives a fraction between
 * the new neighbors'. A place's number is a count over the index.
 */

export const IS_WAITING = sql`waitlist.invitation_id IS NULL AND waitlist.queue_position IS NOT NULL`;

const MOVE_LOCK = 7_316_004;

/** Of confirmed friends, in a query that reads `waitlist`. */
export const FRIEND_COUNT: SQL<number> = sql`(
  SELECT count(*)::int FROM ${waitlist} AS friend WHERE friend.referred_by = waitlist.id AND friend.ticket IS NOT NULL)`;

/** From 1, by id; without those who do not wait. One count of the queue: 100 ms for a million. */
export async function readNumbers(db: Queryable, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await db.execute<{ id: string; number: number }>(sql`
    SELECT id, sum(added) OVER (ORDER BY queue_position)::int AS number
    FROM (
      SELECT id, queue_position, lag(queue_position, 1, '-infinity') OVER (ORDER BY queue_position) AS previous
      FROM waitlist WHERE id = ANY (${sql.param(ids)}::text[]) AND ${IS_WAITING}
    ) AS member, LATERAL (
      SELECT count(*) AS added FROM waitlist
      WHERE ${IS_WAITING} AND waitlist.queue_position > previous AND waitlist.queue_position <= member.queue_position
    ) AS between_them`);
  return new Map(rows.map(({ id, number }) => [id, number]));
}

/** Referrers before members, or a friend who confirms and a referrer who leaves would deadlock. */
export async function lockReferrers(tx: Queryable, members: SQL): Promise<void> {
  const referrers = sql`SELECT referred_by FROM ${waitlist} WHERE ${members}`;
  await tx
    .select({ id: waitlist.id })
    .from(waitlist)
    .where(sql`${waitlist.id} IN (${referrers})`)
    .orderBy(asc(waitlist.ticket))
    .for("no key update");
}

/** Moves the friend's referrer up, once. Call `lockReferrers` before. */
export async function countFriend(tx: Queryable, friendId: string): Promise<void> {
  const [friend] = await tx
    .select({ referredBy: waitlist.referredBy })
    .from(waitlist)
    .where(and(eq(waitlist.id, friendId), isNotNull(waitlist.ticket), isNull(waitlist.placesGiven)))
    .for("no key update");
  if (!friend?.referredBy) return;
  const placesGiven = await moveMember(tx, friend.referredBy, PLACES_PER_FRIEND);
  await tx.update(waitlist).set({ placesGiven }).where(eq(waitlist.id, friendId));
}

/**
 * Moves a member up, or down if `places` is negative, as far as there are others.
 * @returns past how many; 0 for a member who does not wait
 */
export async function moveMember(tx: Queryable, id: string, places: number): Promise<number> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(${MOVE_LOCK})`);
  const [isBefore, nearestFirst, beyond] =
    places > 0
      ? [sql`<`, sql`DESC`, sql`greatest(next, ceil(passed) - 1)`]
      : [sql`>`, sql`ASC`, sql`least(next, floor(passed) + 1)`];
  const most = sql`${Math.abs(places)}::int`;
  const { rows } = await tx.execute<{ moved: number }>(sql`
    WITH others AS (
      SELECT array_agg(queue_position) AS found FROM (
        SELECT waitlist.queue_position FROM waitlist
        WHERE ${IS_WAITING} AND waitlist.queue_position ${isBefore}
          (SELECT queue_position FROM waitlist WHERE id = ${id} AND invitation_id IS NULL)
        ORDER BY waitlist.queue_position ${nearestFirst} LIMIT ${most} + 1
      ) AS nearest
    ), target AS (
      SELECT moved, found[moved] AS passed, found[${most} + 1] AS next
      FROM others, LATERAL (SELECT least(${most}, cardinality(found)) AS moved) AS count
    )
    UPDATE waitlist SET queue_position = trim_scale((${beyond} + passed) * 0.5)
    FROM target WHERE waitlist.id = ${id} AND passed IS NOT NULL RETURNING moved`);
  return rows[0]?.moved ?? 0;
}

const MOST_COUNTED_FRIENDS = 1_000;

/** Friends confirmed by processes of 0.8.0, which do not count them. Goes away with what migration 0031 keeps for that version. */
export async function countFriendsOfBefore(db: Database): Promise<void> {
  const friends = await db
    .select({ id: waitlist.id })
    .from(waitlist)
    .where(and(isNotNull(waitlist.ticket), isNotNull(waitlist.referredBy), isNull(waitlist.placesGiven)))
    .orderBy(asc(waitlist.ticket))
    .limit(MOST_COUNTED_FRIENDS);
  for (const { id } of friends)
    await db.transaction(async (tx) => {
      await lockReferrers(tx, sql`id = ${id}`);
      await countFriend(tx, id);
    });
}

/** Unconfirmed addresses, and codes that were used, are counted up to this many. */
const MOST_COUNTED = 10_000;

export async function countWaitlist(db: Queryable) {
  const { rows } = await db.execute<{ waiting: number; invited: number }>(sql`
    SELECT (SELECT count(*)::int FROM waitlist WHERE ${IS_WAITING}) AS waiting,
      (SELECT count(*)::int FROM waitlist WHERE invitation_id IS NOT NULL) AS invited`);
  const [{ waiting, invited } = { waiting: 0, invited: 0 }] = rows;
  const unconfirmed = await db
    .select({ confirmBy: waitlist.confirmBy })
    .from(waitlist)
    .where(isNull(waitlist.confirmedAt))
    // Served by an index alone.
    .orderBy(asc(waitlist.confirmBy))
    .limit(MOST_COUNTED + 1);
  const used = await db
    .select({ id: waitlist.id })
    .from(waitlist)
    // A subquery per row: a join may be planned as reading all codes.
    .where(
      sql`${waitlist.invitationId} IS NOT NULL
        AND (SELECT used_count FROM ${promoCodes} WHERE code = waitlist.promo_code) > 0`,
    )
    .limit(MOST_COUNTED + 1);
  const upTo = ({ length }: unknown[]) => ({
    count: Math.min(length, MOST_COUNTED),
    isMore: length > MOST_COUNTED,
  });
  return { waiting, invited, used: upTo(used), unconfirmed: upTo(unconfirmed) };
}

export interface QueuedMember {
  id: string;
  email: string;
  name: string | null;
  /** From 1; `null` once invited. */
  number: number | null;
  friends: number;
  confirmedAt: Date | null;
}

const MEMBER = {
  id: waitlist.id,
  email: waitlist.email,
  name: waitlist.name,
  confirmedAt: waitlist.confirmedAt,
  friends: FRIEND_COUNT,
};

/** At these positions, from 0. For the first ones, because it reads all before them. @param to exclusive */
export async function readQueued(db: Queryable, from: number, to: number): Promise<QueuedMember[]> {
  // Drizzle omits a negative limit, which would read all members.
  if (to <= from) return [];
  const members = await db
    .select(MEMBER)
    .from(waitlist)
    .where(IS_WAITING)
    .orderBy(asc(waitlist.queuePosition))
    .offset(from)
    .limit(to - from);
  return members.map((member, index) => ({ ...member, number: from + index + 1 }));
}

/** Invited or not. */
export async function readTopReferrers(db: Queryable, count: number): Promise<QueuedMember[]> {
  const brought = db
    .select({
      id: sql<string>`referred_by`.as("referrer_id"),
      friends: sql<number>`count(*)::int`.as("friends"),
    })
    .from(waitlist)
    .where(and(isNotNull(waitlist.referredBy), isNotNull(waitlist.ticket)))
    .groupBy(waitlist.referredBy)
    .as("brought");
  const best = await db
    .select({ ...MEMBER, friends: brought.friends })
    .from(brought)
    .innerJoin(waitlist, eq(waitlist.id, brought.id))
    .orderBy(desc(brought.friends), asc(waitlist.ticket))
    .limit(count);
  const numbers = await readNumbers(
    db,
    best.map((member) => member.id),
  );
  return best.map((member) => ({ ...member, number: numbers.get(member.id) ?? null }));
}
