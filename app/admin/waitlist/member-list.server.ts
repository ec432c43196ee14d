import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Database, Queryable } from "../../db/client.server.ts";
import { type MailState, STATE_OF_MAIL } from "../../mail/mails.server.ts";
import { mails } from "../../mail/schema.ts";
import { outbox } from "../../outbox/schema.ts";
import { promoCodes } from "../../promo/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { FRIEND_COUNT, IS_WAITING, readNumbers } from "../../waitlist/order.server.ts";
import { waitlist } from "../../waitlist/schema.ts";
import { type PageParts, startsWith } from "../lists/keyset.server.ts";
import { type ListQuery, readListQuery } from "../lists/list-query.ts";
import { listSource, type RowOf } from "../lists/list-source.server.ts";
import { type MemberState, STATES } from "./member-states.ts";

export type MemberRow = RowOf<typeof MEMBERS>;

export const MEMBERS = listSource({
  name: "waitlist",
  readQuery(search) {
    // `by`: the id of the referrer; `invitation`: its id.
    const filters = ["invitation", "by", "email", "state"];
    const query = readListQuery(search, { sorts: [], isDescending: true, filters });
    const { invitation, by, email, state } = query.filters;
    // Newest first, but for the orders of an invitation, of the alphabet and of the queue.
    return { ...query, isDescending: !invitation && Boolean(by || (!email && state)) };
  },
  keyset: ({ filters }) => keysetOf(filters),
  select: readMembers,
  columns: [
    ["email", ({ email }) => email],
    ["name", ({ name }) => name],
    ["uses_today", ({ usesToday }) => usesToday],
    ["state", ({ state }) => STATES[state].word],
    ["number", ({ number }) => number],
    ["friends", ({ friends }) => friends],
    ["brought_by", ({ referrer }) => referrer?.email ?? null],
    ["joined", ({ joinedAt }) => joinedAt],
    ["confirmed", ({ confirmedAt }) => confirmedAt],
    ["invited", ({ invitedAt }) => invitedAt],
    ["code", ({ code }) => code],
  ],
});

/** Of the invitation, which was written in the same transaction; mails are kept for 30 days. */
const IS_INVITATION_MAIL = sql`recipient = waitlist.email AND queued_at = waitlist.invited_at`;

const MAIL = sql<{ id: string; state: MailState } | null>`(
  SELECT json_build_object('id', mails.id::text, 'state', ${STATE_OF_MAIL})
  FROM ${mails} LEFT JOIN ${outbox} ON outbox.id = mails.id WHERE ${IS_INVITATION_MAIL} LIMIT 1)`;

const MOST_UNDELIVERED = 20;

/** Those of an invitation whose mail was given up: how many, and the first of them. */
export async function readUndelivered(db: Database, invitation: string) {
  // A subquery per row: a join may be planned as reading all mails.
  const givenUp = sql`(SELECT given_up_at FROM ${mails} WHERE ${IS_INVITATION_MAIL} LIMIT 1)`;
  const isUndelivered = and(eq(waitlist.invitationId, invitation), isNotNull(givenUp));
  const count = await db.$count(waitlist, isUndelivered);
  const first = await db
    .select({
      email: waitlist.email,
      mail: sql<{ id: string; failure: string | null }>`(
        SELECT json_build_object('id', id::text, 'failure', failure) FROM ${mails} WHERE ${IS_INVITATION_MAIL} LIMIT 1)`,
    })
    .from(waitlist)
    .where(isUndelivered)
    .orderBy(waitlist.invitationPosition)
    .limit(count === 0 ? 0 : MOST_UNDELIVERED);
  return { count, first };
}

async function readMembers(db: Queryable, { where, orderBy, limit, cursor }: PageParts) {
  const rows = await db
    .select({
      id: waitlist.id,
      email: waitlist.email,
      name: waitlist.name,
      usesToday: waitlist.usesToday,
      friends: FRIEND_COUNT,
      joinedAt: waitlist.createdAt,
      confirmedAt: waitlist.confirmedAt,
      // A subquery per row: a join may be planned as reading all members.
      referrer: sql<{ id: string; email: string } | null>`(
            SELECT json_build_object('id', id, 'email', email) FROM ${waitlist} AS referrer
            WHERE referrer.id = waitlist.referred_by)`,
      invitationId: waitlist.invitationId,
      invitedAt: waitlist.invitedAt,
      code: waitlist.promoCode,
      uses: sql<number | null>`(
            SELECT used_count FROM ${promoCodes} WHERE code = waitlist.promo_code)`,
      mail: MAIL,
      cursor,
    })
    .from(waitlist)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit);
  const ids = rows.map(({ id }) => id);
  const numbers = await readNumbers(db, ids);
  return rows.map(({ uses, ...row }) => ({
    ...row,
    number: numbers.get(row.id) ?? null,
    state: stateOf({ ...row, uses }),
  }));
}

const OF_STATE = new Map([
  ["confirmed", isNotNull(waitlist.ticket)],
  ["unconfirmed", isNull(waitlist.confirmedAt)],
]);

/** Read along the index of the first filter, whose rows are few, or of the state. */
function keysetOf({ invitation, by, email, state = "" }: ListQuery["filters"]) {
  const { id } = waitlist;
  const conditions = [
    invitation ? eq(waitlist.invitationId, invitation) : undefined,
    by ? eq(waitlist.referredBy, by) : undefined,
    email ? startsWith(waitlist.email, foldAddress(email)) : undefined,
    OF_STATE.get(state),
  ];
  if (invitation) return { by: waitlist.invitationPosition, id, conditions };
  if (by || (!email && state === "all")) return { by: waitlist.createdAt, id, conditions };
  if (email) return { by: waitlist.email, id, order: "pattern" as const, conditions };
  if (state === "confirmed") return { by: waitlist.ticket, id, conditions };
  if (state === "unconfirmed") return { by: waitlist.confirmBy, id, conditions };
  // Those who wait, in the order in which they are invited.
  return { by: waitlist.queuePosition, id, conditions: [IS_WAITING] };
}

function stateOf(row: {
  confirmedAt: Date | null;
  invitationId: string | null;
  code: string | null;
  uses: number | null;
}): MemberState {
  if (!row.confirmedAt) return "unconfirmed";
  if (!row.invitationId) return "waiting";
  if (!row.code) return "picked";
  return row.uses ? "redeemed" : "invited";
}
