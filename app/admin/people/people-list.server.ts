import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { user } from "../../auth/schema.ts";
import { stripeSubscriptions } from "../../billing/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { userSubscriptions } from "../../entitlements/schema.ts";
import type { UserSubscription } from "../../entitlements/subscription.server.ts";
import { grants } from "../../promo/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { type Keyset, type ListPage, readPage } from "../lists/keyset.server.ts";
import { type Cursor, type ListQuery, readListQuery } from "../lists/list-query.ts";

export interface PersonRow {
  id: string;
  email: string;
  name: string;
  isConfirmed: boolean;
  since: Date;
  /** The best plan they have now. */
  plan: Pick<UserSubscription, "tier" | "source" | "promoCode" | "expiresAt" | "renews"> | null;
  cursor: Cursor;
}

type Listed = Omit<PersonRow, "plan">;

const byDate: Keyset = { by: user.createdAt, type: "timestamptz", id: user.id, idType: "text" };
const byEmail: Keyset = { by: user.email, type: "text", id: user.id, idType: "text" };
const byPrefix = (by: SQL): Keyset => ({ by, type: "text", id: user.id, idType: "text", order: "pattern" });

/** What the list of people is asked for. One filter at a time: each reads an index of its own, in the order of that index. */
export function readPeopleQuery(search: URLSearchParams): ListQuery {
  const query = readListQuery(search, {
    sorts: ["since", "email"],
    isDescending: true,
    filters: ["email", "name", "holds"],
  });
  const [[filter, value] = []] = Object.entries(query.filters);
  if (!filter || !value) return query;
  const filters = { [filter]: value };
  if (filter === "holds") return { ...query, filters, sort: "plan", isDescending: true };
  return { ...query, filters, sort: filter, isDescending: false };
}

/**
 * A page of the people with an account, with the plan each has now.
 *
 * @throws the 400 page for a cursor of another list
 */
export async function listPeople(
  db: Queryable,
  query: ListQuery,
  size?: number,
): Promise<ListPage<PersonRow>> {
  const page = await readListed(db, query, size);
  const ids = page.rows.map(({ id }) => id);
  const plans =
    ids.length > 0
      ? await db.select().from(userSubscriptions).where(inArray(userSubscriptions.userId, ids))
      : [];
  const planOf = new Map(plans.map((plan) => [plan.userId, plan]));
  return { ...page, rows: page.rows.map((row) => ({ ...row, plan: planOf.get(row.id) ?? null })) };
}

function readListed(db: Queryable, query: ListQuery, size?: number): Promise<ListPage<Listed>> {
  const { email, name, holds } = query.filters;
  if (holds === "paid") return listPaying(db, query, size);
  if (holds === "promo") return listRedeemers(db, query, size);
  if (email) return listUsers(db, byPrefix(sql`lower(${user.email})`), query, foldAddress(email), size);
  if (name) return listUsers(db, byPrefix(sql`lower(${user.name})`), query, name, size);
  return listUsers(db, query.sort === "email" ? byEmail : byDate, query, undefined, size);
}

function listUsers(
  db: Queryable,
  keyset: Keyset,
  query: ListQuery,
  prefix: string | undefined,
  size?: number,
): Promise<ListPage<Listed>> {
  return readPage<Listed>(
    keyset,
    query,
    ({ where, orderBy, limit, cursor }) =>
      db
        .select({ ...LISTED, cursor })
        .from(user)
        .where(and(where, prefix === undefined ? undefined : startsWith(keyset.by, prefix)))
        .orderBy(...orderBy)
        .limit(limit),
    size,
  );
}

/** Those with a paid plan that gives access, by when it began, the newest first. */
function listPaying(db: Queryable, query: ListQuery, size?: number): Promise<ListPage<Listed>> {
  const { startedAt: by, id } = stripeSubscriptions;
  return readPage<Listed>(
    { by, type: "timestamptz", id, idType: "text" },
    query,
    ({ where, orderBy, limit, cursor }) =>
      db
        .select({ ...LISTED, cursor })
        .from(stripeSubscriptions)
        .innerJoin(user, eq(user.id, stripeSubscriptions.userId))
        .where(and(where, sql`${stripeSubscriptions.accessUntil} > now()`))
        .orderBy(...orderBy)
        .limit(limit),
    size,
  );
}

/** Those with a code's grant in force, by when they redeemed it, the newest first; a person with two codes is there once. */
function listRedeemers(db: Queryable, query: ListQuery, size?: number): Promise<ListPage<Listed>> {
  const hasNewerOne = sql`EXISTS (
    SELECT FROM ${grants} AS newer
    WHERE newer.user_id = ${grants.userId} AND newer.source = 'promo' AND newer.revoked_at IS NULL
      AND newer.expires_at > now() AND (newer.created_at, newer.id) > (${grants.createdAt}, ${grants.id}))`;
  return readPage<Listed>(
    { by: grants.createdAt, type: "timestamptz", id: grants.id, idType: "text" },
    query,
    ({ where, orderBy, limit, cursor }) =>
      db
        .select({ ...LISTED, cursor })
        .from(grants)
        .innerJoin(user, eq(user.id, grants.userId))
        .where(
          and(
            where,
            eq(grants.source, "promo"),
            sql`${grants.revokedAt} IS NULL AND ${grants.expiresAt} > now()`,
            sql`NOT ${hasNewerOne}`,
          ),
        )
        .orderBy(...orderBy)
        .limit(limit),
    size,
  );
}

const LISTED = {
  id: user.id,
  email: user.email,
  name: user.name,
  isConfirmed: user.emailVerified,
  since: user.createdAt,
};

/** A condition that an index with `text_pattern_ops` on the expression answers. */
export function startsWith(expression: Keyset["by"], prefix: string): SQL {
  return sql`${expression} LIKE ${`${prefix.toLowerCase().replaceAll(/[\\%_]/g, "\\$&")}%`}`;
}
