import { and, eq, type SQL } from "drizzle-orm";
import { deletedMessage } from "../auth/messages.ts";
import { mailLinks, user } from "../auth/schema.ts";
import { lockUser } from "../auth/users.server.ts";
import { deletePaymentRecords, endPayments } from "../billing/end-payments.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { isForeignKeyViolation } from "../db/constraint-errors.server.ts";
import { recordErasures } from "../db/erasures.server.ts";
import type { App } from "../http/context.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { forgetRecipients } from "../mail/forget.server.ts";
import { forgetReasons } from "../promo/given-access.server.ts";
import { noteEvent } from "../telemetry/events.ts";

type DeletionApp = Pick<App, "config" | "db" | "payments" | "log" | "userHooks">;

/** A new checkout may be opened while the old one is closed; more often than this is no accident. */
const ROUNDS = 10;

/**
 * - `paid_meanwhile`: there is a payment that the user was not shown in the form; nothing was ended
 * - `payments_away`: open payments cannot be closed, so nothing was deleted
 * - `busy`: the account was in use throughout
 */
export type Deletion = "deleted" | "paid_meanwhile" | "payments_away" | "busy";

export interface DeletionOptions {
  alsoWrite?: (tx: Queryable) => Promise<void>;
  /** Whether to mail the user; after a restored backup they were mailed the first time. */
  saysGoodbye?: boolean;
}

/**
 * Deletes an account. First ends everything at Stripe that is or could be paid; then one transaction checks again, with the
 * user locked, and deletes all rows at once. Nothing is deleted before, so an interrupted deletion can be retried; afterwards
 * no customer is left to charge. A job of the same transaction deletes Stripe's record of the person.
 *
 * @param shownSubscription the paid subscription that the form said will end, or `null`
 */
export async function deleteAccount(
  app: DeletionApp,
  userId: string,
  shownSubscription: string | null,
  { alsoWrite = async () => {}, saysGoodbye = true }: DeletionOptions = {},
): Promise<Deletion> {
  for (let round = 0; round < ROUNDS; round++) {
    const payments = await endPayments(app, userId, shownSubscription).catch((error: unknown) => {
      // A duplicate request has deleted the user whose Stripe data was just fetched.
      if (isForeignKeyViolation(error)) return "ended" as const;
      throw error;
    });
    if (payments !== "ended") return payments;
    if (await deleteRows(app, userId, { alsoWrite, saysGoodbye })) return "deleted";
  }
  return "busy";
}

/**
 * Deletes an unconfirmed, unused account if that is still due. Checked with the user locked, so that confirming, redeeming and
 * paying cannot come between. Does not ask Stripe, which has nothing about such an account.
 *
 * @param isDue a condition on the user
 */
export async function deleteUnusedAccount(app: DeletionApp, userId: string, isDue: SQL): Promise<void> {
  await deleteRows(app, userId, { alsoWrite: async () => {}, saysGoodbye: false }, isDue);
}

/** @returns false when something can be paid, or is, and so nothing was deleted */
async function deleteRows(
  { db, config, userHooks }: DeletionApp,
  userId: string,
  { alsoWrite, saysGoodbye }: Required<DeletionOptions>,
  isDue?: SQL,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    if (!owner) return true;
    if (isDue && (await tx.$count(user, and(eq(user.id, userId), isDue))) === 0) return false;
    const payments = await deletePaymentRecords(tx, userId, config.site);
    if (!payments) return false;
    await userHooks.beforeAddressGivenUp(tx, owner);
    await forgetReasons(tx, userId);
    await forgetRecipients(tx, [owner.email, ...(await addressesOfLinks(tx, userId))]);
    await tx.delete(user).where(eq(user.id, userId));
    await recordErasures(tx, "user", [userId]);
    await alsoWrite(tx);
    if (!saysGoodbye) return true;
    const goodbye = deletedMessage(owner.email, config.site, payments.hadPaidPlan);
    await enqueueMail(tx, config.site, goodbye, { isListed: false });
    noteEvent(tx, { event: "account_deleted", userId });
    return true;
  });
}

/** Addresses to which links of the account were mailed, such as a new one that was never confirmed. */
async function addressesOfLinks(tx: Queryable, userId: string): Promise<string[]> {
  const links = await tx
    .select({ email: mailLinks.email })
    .from(mailLinks)
    .where(eq(mailLinks.userId, userId));
  return links.map(({ email }) => email);
}
