import { and, eq, isNull } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import { RENEWAL_TERMS_VERSION } from "../renewal-terms.ts";
import { renewalConsents } from "../schema.ts";

type Agreement = Omit<typeof renewalConsents.$inferInsert, "textVersion" | "agreedAt">;

/** Stores the renewal terms agreed to by pressing the button beside them. The first record of an id stays. */
export async function recordConsent(tx: Queryable, agreement: Agreement): Promise<void> {
  await tx
    .insert(renewalConsents)
    .values({ ...agreement, textVersion: RENEWAL_TERMS_VERSION })
    .onConflictDoNothing();
}

/** `null` for an attempt that an older version opened. */
export async function findConsent(db: Queryable, id: string) {
  const [consent] = await db.select().from(renewalConsents).where(eq(renewalConsents.id, id));
  return consent ?? null;
}

export async function linkConsent(db: Queryable, id: string, subscriptionId: string): Promise<void> {
  await db
    .update(renewalConsents)
    .set({ subscriptionId })
    .where(and(eq(renewalConsents.id, id), isNull(renewalConsents.subscriptionId)));
}
