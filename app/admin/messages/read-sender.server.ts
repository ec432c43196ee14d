import { eq, sql } from "drizzle-orm";
import { user } from "../../auth/schema.ts";
import { listInvoices } from "../../billing/plan/plan-overview.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import { currentSubscription } from "../../entitlements/subscription.server.ts";
import { foldAddress } from "../../ui/email-address.ts";

/** The plan and last payments of the account with this address. */
export async function readSender(db: Queryable, email: string) {
  const [account] = await db
    .select({ id: user.id, emailVerified: user.emailVerified })
    .from(user)
    .where(eq(sql`lower(${user.email})`, foldAddress(email).toLowerCase()));
  if (!account) return null;
  const [plan, invoices] = await Promise.all([
    currentSubscription(db, account.id),
    listInvoices(db, account.id, 3),
  ]);
  return { ...account, tier: plan?.tier ?? null, invoices };
}
