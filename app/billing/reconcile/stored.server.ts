import { eq } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { customers, stripeInvoices, stripeSubscriptions } from "../schema.ts";

/** What is stored of a customer, by what it is: "subscription sub_…", "invoice in_…", "card". */
export type Stored = Map<string, Record<string, unknown>>;

/** Columns that say when something was stored, not what. */
const BOOKKEEPING = ["syncTicket", "updatedAt", "syncedAt"];

export async function readStored(db: Queryable, userId: string): Promise<Stored> {
  const [subscriptions, invoices, [customer]] = await Promise.all([
    db.select().from(stripeSubscriptions).where(eq(stripeSubscriptions.userId, userId)),
    db.select().from(stripeInvoices).where(eq(stripeInvoices.userId, userId)),
    db.select().from(customers).where(eq(customers.userId, userId)),
  ]);
  return new Map<string, Record<string, unknown>>([
    ...subscriptions.map((row) => [`subscription ${row.id}`, row] as const),
    ...invoices.map((row) => [`invoice ${row.id}`, row] as const),
    ...(customer ? [["card", customer] as const] : []),
  ]);
}

/** One thing that was not stored as Stripe has it. */
export interface Drift {
  kind:
    | "customer missing"
    | "subscription missing"
    | "subscription differs"
    | "invoice missing"
    | "invoice differs"
    | "invoice gone"
    | "card differs";
  stripeCustomerId: string;
  /** Its id at Stripe; absent for the card. */
  id?: string;
  /** The columns that differed. */
  columns?: string[];
}

/** What a sync has changed. */
export function driftBetween(before: Stored, after: Stored, stripeCustomerId: string): Drift[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key): Drift[] => {
    const [what, id] = key.split(" ") as ["subscription" | "invoice" | "card", string?];
    const thing = { stripeCustomerId, ...(id && { id }) };
    const [one, other] = [before.get(key), after.get(key)];
    if (!one) return what === "card" ? [] : [{ kind: `${what} missing`, ...thing }];
    if (!other) return what === "invoice" ? [{ kind: "invoice gone", ...thing }] : [];
    const columns = Object.keys(other).filter(
      (column) => !BOOKKEEPING.includes(column) && String(one[column]) !== String(other[column]),
    );
    return columns.length > 0 ? [{ kind: `${what} differs`, ...thing, columns }] : [];
  });
}
