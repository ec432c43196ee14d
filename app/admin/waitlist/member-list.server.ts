import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { promoCodes } from "../../promo/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { FRIEND_COUNT, readNumbers } from "../../waitlist/order.server.ts";
import { waitlist } from "../../waitlist/schema.ts";
import { type Keyset, readPage, startsWith } from "../lists/keyset.server.ts";
import type { ListSource } from "../lists/list.server.ts";
import { type ListQuery, type ListRules, readListQuery, withOneFilter } from "../lists/list-query.ts";
import { type MemberRow, type MemberState, STATES } from "./member-columns.tsx";

const byJoining: Keyset = { by: waitlist.createdAt, id: waitlist.id };
const byTicket: Keyset = { by: waitlist.ticket, id: waitlist.id };
const byDeadline: Keyset = { by: waitlist.confirmBy, id: waitlist.id };
const byEmail: Keyset = { by: waitlist.email, id: waitlist.id, order: "pattern" };
const byPosition: Keyset = { by: waitlist.invitationPosition, id: waitlist.id };

/** `by`: the id of the referrer; `invitation`: its id. */
const RULES: ListRules = {
  sorts: ["joined"],
  isDescending: true,
  filters: ["invitation", "by", "email", "state"],
};

export const MEMBERS: ListSource<MemberRow> = {
  name: "waitlist",
  readQuery(search) {
    const query = readListQuery(search, RULES);
    const first = withOneFilter(query, ["state"]);
    return first.filters.by ? { ...query, filters: first.filters } : first;
  },
  async read(db, query, size) {
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
            cursor,
          })
          .from(waitlist)
          .where(and(where, condition))
          .orderBy(...orderBy)
          .limit(limit),
      size,
    );
    const ids = page.rows.map(({ id }) => id);
    const numbers = await readNumbers(db, ids);
    const withState = ({ uses, ...row }: (typeof page.rows)[number]) => ({
      ...row,
      number: numbers.get(row.id) ?? null,
      state: stateOf({ ...row, uses }),
    });
    return { ...page, rows: page.rows.map(withState) };
  },
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
};

function sourceOf({ invitation, by, email, state }: ListQuery["filters"]): {
  keyset: Keyset;
  condition: SQL | undefined;
} {
  if (invitation) return { keyset: byPosition, condition: eq(waitlist.invitationId, invitation) };
  if (by) return { keyset: byJoining, condition: eq(waitlist.referredBy, by) };
  if (email) return { keyset: byEmail, condition: startsWith(waitlist.email, foldAddress(email)) };
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
