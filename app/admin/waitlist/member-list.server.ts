import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { promoCodes } from "../../promo/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { FRIENDS, readNumbers } from "../../waitlist/order.server.ts";
import { waitlist } from "../../waitlist/schema.ts";
import { type Keyset, type ListPage, readPage } from "../lists/keyset.server.ts";
import { type Cursor, type ListQuery, readListQuery } from "../lists/list-query.ts";

export interface MemberRow {
  id: string;
  email: string;
  name: string | null;
  usesToday: string | null;
  joinedAt: Date;
  confirmedAt: Date | null;
  /** From 1; `null` when they are not confirmed yet, or were picked for an invitation. */
  number: number | null;
  /** Who joined by their link and confirmed. */
  friends: number;
  referrer: { id: string; email: string } | null;
  invitationId: string | null;
  invitedAt: Date | null;
  code: string | null;
  state: MemberState;
  cursor: Cursor;
}

export type MemberState = "unconfirmed" | "waiting" | "picked" | "invited" | "redeemed";

const byJoining: Keyset = {
  by: waitlist.createdAt,
  type: "timestamptz",
  id: waitlist.id,
  idType: "text",
};
const byTicket: Keyset = { ...byJoining, by: waitlist.ticket, type: "bigint" };
const byDeadline: Keyset = { ...byJoining, by: waitlist.confirmBy };
const byEmail: Keyset = { ...byJoining, by: waitlist.email, type: "text", order: "pattern" };
const byPosition: Keyset = { ...byJoining, by: waitlist.invitationPosition, type: "bigint" };

/**
 * What the list of members is asked for. One filter at a time: each reads an index of its own, in the order of that index.
 * `by`: the id of the member who brought them; `invitation`: its id, in its order.
 */
export function readMembersQuery(search: URLSearchParams): ListQuery {
  const query = readListQuery(search, {
    sorts: ["joined"],
    isDescending: true,
    filters: ["invitation", "by", "email", "state"],
  });
  const [[filter, value] = []] = Object.entries(query.filters);
  if (!filter || !value) return query;
  const filters = { [filter]: value };
  if (filter === "by") return { ...query, filters };
  const isDescending = filter === "state";
  return { ...query, filters, sort: filter, isDescending };
}

/** A page of the people on the list. @throws the 400 page for a cursor of another list */
export async function listMembers(
  db: Queryable,
  query: ListQuery,
  size?: number,
): Promise<ListPage<MemberRow>> {
  const { keyset, condition } = sourceOf(query.filters);
  const page = await readPage(
    keyset,
    query,
    ({ where, orderBy, limit, cursor }) =>
      db
        .select({
          id: waitlist.id,
          email: waitlist.email,
          name: waitlist.name,
          usesToday: waitlist.usesToday,
          friends: FRIENDS,
          joinedAt: waitlist.createdAt,
          confirmedAt: waitlist.confirmedAt,
          referredBy: waitlist.referredBy,
          // Looked up for the rows of the page: a join may be planned as reading all of them.
          broughtBy: sql<string | null>`(
            SELECT referrer.email FROM ${waitlist} AS referrer WHERE referrer.id = waitlist.referred_by)`,
          invitationId: waitlist.invitationId,
          invitedAt: waitlist.invitedAt,
          code: waitlist.promoCode,
          uses: sql<number | null>`(
            SELECT used_count FROM ${promoCodes} WHERE code = waitlist.promo_code)`,
          cursor,
        })
        .from(waitlist)
        .where(and(where, condition))
        .orderBy(...orderBy)
        .limit(limit),
    size,
  );
  const numbers = await readNumbers(
    db,
    page.rows.map(({ id }) => id),
  );
  return {
    ...page,
    rows: page.rows.map(({ uses, referredBy, broughtBy, ...row }) => ({
      ...row,
      number: numbers.get(row.id) ?? null,
      referrer: referredBy && broughtBy ? { id: referredBy, email: broughtBy } : null,
      state: stateOf({ ...row, uses }),
    })),
  };
}

function sourceOf({ invitation, by, email, state }: ListQuery["filters"]): {
  keyset: Keyset;
  condition: SQL | undefined;
} {
  if (invitation) return { keyset: byPosition, condition: eq(waitlist.invitationId, invitation) };
  if (by) return { keyset: byJoining, condition: eq(waitlist.referredBy, by) };
  if (email) {
    const prefix = foldAddress(email)
      .toLowerCase()
      .replaceAll(/[\\%_]/g, "\\$&");
    return { keyset: byEmail, condition: sql`${waitlist.email} LIKE ${`${prefix}%`}` };
  }
  if (state === "confirmed") return { keyset: byTicket, condition: isNotNull(waitlist.ticket) };
  if (state === "unconfirmed") return { keyset: byDeadline, condition: isNull(waitlist.confirmedAt) };
  return { keyset: byJoining, condition: undefined };
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
