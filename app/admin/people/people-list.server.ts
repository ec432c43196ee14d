import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { user } from "../../auth/schema.ts";
import { stripeInvoices, stripeSubscriptions } from "../../billing/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { userSubscriptions } from "../../entitlements/schema.ts";
import { TIERS } from "../../entitlements/tiers.ts";
import { DISPUTED, REFUND_RETURNED, UNPAID } from "../../figures/overview-counts.server.ts";
import { grants } from "../../promo/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import type { StateProps } from "../console-page.tsx";
import { startsWith } from "../lists/keyset.server.ts";
import { readListQuery } from "../lists/list-query.ts";
import { listSource, type RowOf } from "../lists/list-source.server.ts";

export type PersonRow = RowOf<typeof PEOPLE>;

export const PEOPLE = listSource({
  name: "people",
  readQuery: (search) =>
    readListQuery(search, {
      sorts: ["since", "email"],
      isDescending: true,
      filters: Object.keys(CONDITIONS),
    }),
  keyset({ sort, filters }) {
    const conditions = Object.entries(filters).flatMap(([name, value]) => CONDITIONS[name]?.(value) ?? []);
    return { by: sort === "email" ? user.email : user.createdAt, id: user.id, conditions };
  },
  async select(db, { where, orderBy, limit, cursor }) {
    const rows = await db
      .select({
        id: user.id,
        email: user.email,
        name: user.name,
        isConfirmed: user.emailVerified,
        since: user.createdAt,
        cursor,
      })
      .from(user)
      .where(where)
      .orderBy(...orderBy)
      .limit(limit);
    const holdings = await readHoldings(
      db,
      rows.map(({ id }) => id),
    );
    return rows.map((row) => ({ ...row, ...holdings(row) }));
  },
  columns: [
    ["email", ({ email }) => email],
    ["name", ({ name }) => name],
    ["confirmed", ({ isConfirmed }) => isConfirmed],
    ["signed_up", ({ since }) => since],
    ["tier", ({ plan }) => plan?.tier ?? null],
    ["source", ({ plan }) => plan?.source ?? null],
    ["promo_code", ({ plan }) => plan?.promoCode ?? null],
    ["until", ({ plan }) => plan?.expiresAt ?? null],
    ["renews", ({ plan }) => plan?.renews ?? null],
    ["id", ({ id }) => id],
  ],
});

/** The plans of these people, and what an operator has to see of them first. */
export async function readHoldings(db: Queryable, ids: readonly string[]) {
  const { userId } = stripeInvoices;
  const [plans, troubles] = await Promise.all([
    db
      .select()
      .from(userSubscriptions)
      .where(inArray(userSubscriptions.userId, [...ids])),
    db
      .select({
        userId,
        word: sql<string>`min(CASE WHEN ${UNPAID} THEN 'Payment failed' WHEN ${DISPUTED} THEN 'Disputed' ELSE 'Refund failed' END)`,
      })
      .from(stripeInvoices)
      .where(and(inArray(userId, [...ids]), sql`(${UNPAID} OR ${DISPUTED} OR ${REFUND_RETURNED})`))
      .groupBy(userId),
  ]);
  const planOf = new Map(plans.map((plan) => [plan.userId, plan]));
  const troubleOf = new Map(troubles.map((trouble) => [trouble.userId, trouble.word]));
  return ({ id, isConfirmed }: { id: string; isConfirmed: boolean }) => {
    const word = troubleOf.get(id);
    const state: StateProps | null = word
      ? { word, tone: "bad" }
      : isConfirmed
        ? null
        : { word: "Not confirmed", tone: "bad" };
    return { plan: planOf.get(id) ?? null, state };
  };
}

const isDay = (value: string) => z.iso.date().safeParse(value).success && value > "1970" && value < "2200";
const startOf = (day: string) => sql`${day}::timestamp AT TIME ZONE 'UTC'`;

/** Set filters all have to hold. Unknown values change nothing. */
const CONDITIONS: Record<string, (value: string) => SQL | null> = {
  email: (value) => startsWith(sql`lower(${user.email})`, foldAddress(value)),
  name: (value) => startsWith(sql`lower(${user.name})`, value),
  holds: (value) => SOURCES[value] ?? null,
  plan: (value) =>
    TIERS.some((tier) => tier === value)
      ? sql`EXISTS (SELECT FROM ${userSubscriptions} WHERE ${userSubscriptions.userId} = ${user.id}
          AND ${userSubscriptions.tier} = ${value})`
      : null,
  trouble: (value) => TROUBLES[value] ?? null,
  confirmed: (value) => (["yes", "no"].includes(value) ? eq(user.emailVerified, value === "yes") : null),
  from: (value) => (isDay(value) ? sql`${user.createdAt} >= ${startOf(value)}` : null),
  to: (value) => (isDay(value) ? sql`${user.createdAt} < ${startOf(value)} + interval '1 day'` : null),
};

const holdsGrant = (source: "promo" | "admin") => sql`EXISTS (SELECT FROM ${grants}
  WHERE ${grants.userId} = ${user.id} AND ${grants.source} = ${source} AND ${grants.revokedAt} IS NULL
    AND ${grants.expiresAt} > now())`;

const SOURCES: Partial<Record<string, SQL>> = {
  paid: sql`EXISTS (SELECT FROM ${stripeSubscriptions}
    WHERE ${stripeSubscriptions.userId} = ${user.id} AND ${stripeSubscriptions.accessUntil} > now())`,
  promo: holdsGrant("promo"),
  admin: holdsGrant("admin"),
  none: sql`NOT EXISTS (SELECT FROM ${userSubscriptions} WHERE ${userSubscriptions.userId} = ${user.id})`,
};

/** Of few people, so they come from the invoices' own index. */
const TROUBLES: Partial<Record<string, SQL>> = {
  payment: sql`${user.id} IN (SELECT ${stripeInvoices.userId} FROM ${stripeInvoices} WHERE ${UNPAID})`,
  dispute: sql`${user.id} IN (SELECT ${stripeInvoices.userId} FROM ${stripeInvoices} WHERE ${DISPUTED})`,
  refund: sql`${user.id} IN (SELECT ${stripeInvoices.userId} FROM ${stripeInvoices} WHERE ${REFUND_RETURNED})`,
};
