import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { user } from "../../auth/schema.ts";
import { stripeSubscriptions } from "../../billing/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { userSubscriptions } from "../../entitlements/schema.ts";
import type { UserSubscription } from "../../entitlements/subscription.server.ts";
import { grants } from "../../promo/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { type Keyset, type ListPage, readPage, startsWith } from "../lists/keyset.server.ts";
import type { ListSource } from "../lists/list.server.ts";
import {
  type Cursor,
  type ListQuery,
  type ListRules,
  readListQuery,
  withOneFilter,
} from "../lists/list-query.ts";

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

const RULES: ListRules = {
  sorts: ["since", "email"],
  isDescending: true,
  filters: ["email", "name", "holds"],
};

/** The people with an account, with the plan each has now. */
export const PEOPLE: ListSource<PersonRow> = {
  name: "people",
  readQuery: (search) => withOneFilter(readListQuery(search, RULES), ["holds"]),
  async read(db, query, size) {
    const page = await readListed(db, query, size);
    const ids = page.rows.map(({ id }) => id);
    const plans = await db.select().from(userSubscriptions).where(inArray(userSubscriptions.userId, ids));
    const planOf = new Map(plans.map((plan) => [plan.userId, plan]));
    return { ...page, rows: page.rows.map((row) => ({ ...row, plan: planOf.get(row.id) ?? null })) };
  },
  columns: [
    ["id", ({ id }) => id],
    ["email", ({ email }) => email],
    ["name", ({ name }) => name],
    ["confirmed", ({ isConfirmed }) => isConfirmed],
    ["signed_up", ({ since }) => since],
    ["tier", ({ plan }) => plan?.tier ?? null],
    ["source", ({ plan }) => plan?.source ?? null],
    ["promo_code", ({ plan }) => plan?.promoCode ?? null],
    ["until", ({ plan }) => plan?.expiresAt ?? null],
    ["renews", ({ plan }) => plan?.renews ?? null],
  ],
};

function readListed(db: Queryable, query: ListQuery, size?: number): Promise<ListPage<Listed>> {
  const { keyset, condition, holding } = sourceOf(query);
  return readPage<Listed>(
    keyset,
    query,
    ({ where, orderBy, limit, cursor }) => {
      const people = db
        .select({ ...LISTED, cursor })
        .from(user)
        .$dynamic();
      if (holding) people.innerJoin(holding, eq(holding.userId, user.id));
      return people
        .where(and(where, condition))
        .orderBy(...orderBy)
        .limit(limit);
    },
    size,
  );
}

interface Source {
  keyset: Keyset;
  condition?: SQL | undefined;
  /** The table of what they hold. */
  holding?: typeof stripeSubscriptions | typeof grants;
}

function sourceOf({ sort, filters: { email, name, holds } }: ListQuery): Source {
  if (holds === "paid") return PAYING;
  if (holds === "promo") return REDEEMERS;
  if (email) return startingWith(sql`lower(${user.email})`, foldAddress(email));
  if (name) return startingWith(sql`lower(${user.name})`, name);
  return { keyset: { by: sort === "email" ? user.email : user.createdAt, id: user.id } };
}

const startingWith = (by: SQL, prefix: string): Source => ({
  keyset: { by, id: user.id, order: "pattern" },
  condition: startsWith(by, prefix),
});

/** People with a paid plan that gives access, by its start, the newest first. */
const PAYING: Source = {
  keyset: { by: stripeSubscriptions.startedAt, id: stripeSubscriptions.id },
  condition: sql`${stripeSubscriptions.accessUntil} > now()`,
  holding: stripeSubscriptions,
};

/** People with a code's grant in force, by when they redeemed it, the newest first; a person with two codes appears once. */
const REDEEMERS: Source = {
  keyset: { by: grants.createdAt, id: grants.id },
  condition: and(
    eq(grants.source, "promo"),
    sql`${grants.revokedAt} IS NULL AND ${grants.expiresAt} > now()`,
    sql`NOT EXISTS (
      SELECT FROM ${grants} AS newer
      WHERE newer.user_id = ${grants.userId} AND newer.source = 'promo' AND newer.revoked_at IS NULL
        AND newer.expires_at > now() AND (newer.created_at, newer.id) > (${grants.createdAt}, ${grants.id}))`,
  ),
  holding: grants,
};

const LISTED = {
  id: user.id,
  email: user.email,
  name: user.name,
  isConfirmed: user.emailVerified,
  since: user.createdAt,
};
