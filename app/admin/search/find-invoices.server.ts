import { eq, type SQL } from "drizzle-orm";
import { user } from "../../auth/schema.ts";
import { formatMoney } from "../../billing/plans.ts";
import { stripeInvoices } from "../../billing/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import type { Hit } from "./hit.ts";

/** The invoice with this number, as printed on it. */
export function findInvoiceByNumber(db: Queryable, text: string): Promise<Hit[]> {
  const number = text.toUpperCase();
  return /^[\w-]{1,64}$/.test(number) && number.includes("-")
    ? findInvoices(db, eq(stripeInvoices.number, number))
    : Promise.resolve([]);
}

/** The invoice that Stripe calls `in_…`. */
export const findInvoiceById = (db: Queryable, id: string) => findInvoices(db, eq(stripeInvoices.id, id));

async function findInvoices(db: Queryable, where: SQL): Promise<Hit[]> {
  const { id, number, total, currency, userId } = stripeInvoices;
  const found = await db
    .select({ id, number, total, currency, userId, email: user.email })
    .from(stripeInvoices)
    .innerJoin(user, eq(user.id, userId))
    .where(where);
  return found.map((invoice) => ({
    kind: "Invoice",
    title: invoice.number ?? invoice.id,
    detail: `${invoice.email}, ${formatMoney(invoice.total, invoice.currency)}`,
    href: `/admin/people/${invoice.userId}#payments`,
    isExact: true,
  }));
}
