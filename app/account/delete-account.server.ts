import { and, eq, type SQL } from "drizzle-orm";
import { z } from "zod";
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
import { rememberAddress } from "../promo/once-per-person.server.ts";
import { noteEvent } from "../telemetry/events.ts";
import { foldAddress } from "../ui/email-address.ts";

type DeletionApp = Pick<App, "config" | "db" | "payments" | "log">;

export const deleteForm = z.object({
  email: z.string({ error: "Enter your email address" }).max(1000).transform(foldAddress),
  /** The subscription that the page said will end. */
  subscription: z.string().max(255).optional(),
});

/** A new checkout may be opened while the old one is closed. */
const ROUNDS = 10;

/** `paid_meanwhile`: a payment that the form did not show. `payments_away`: open payments cannot be closed. `busy`: in use. */
export type Deletion = "deleted" | "paid_meanwhile" | "payments_away" | "busy";

export interface DeletionOptions {
  alsoWrite?: (tx: Queryable) => Promise<void>;
  /** After a restore they were mailed the first time. */
  saysGoodbye?: boolean;
}

/**
 * First ends all payments at Stripe; then one transaction checks again, with the user locked, and deletes all rows, so an interrupted
 * deletion can be retried. A job deletes Stripe's record.
 * @param shownSubscription the paid subscription that the form said will end
 */
export async function deleteAccount(
  app: DeletionApp,
  userId: string,
  shownSubscription: string | null,
  { alsoWrite = async () => {}, saysGoodbye = true }: DeletionOptions = {},
): Promise<Deletion> {
  for (let round = 0; round < ROUNDS; round++) {
    const payments = await endPayments(app, userId, shownSubscription).catch((error: unknown) => {
      // A duplicate request has deleted the user.
      if (isForeignKeyViolation(error)) return "ended" as const;
      throw error;
    });
    if (payments !== "ended") return payments;
    if (await deleteRows(app, userId, { alsoWrite, saysGoodbye })) return "deleted";
  }
  return "busy";
}

/** Checked with the user locked, against confirming, redeeming and paying meanwhile. @param isDue a condition on the user */
export async function deleteUnusedAccount(app: DeletionApp, userId: string, isDue: SQL): Promise<void> {
  await deleteRows(app, userId, { alsoWrite: async () => {}, saysGoodbye: false }, isDue);
}

/** @returns false: something is or can be paid */
async function deleteRows(
  { db, config }: DeletionApp,
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
    await rememberAddress(tx, config, owner);
    await forgetReasons(tx, userId);
    // A new address that was never confirmed, for one, has been mailed too.
    const isTheirs = eq(mailLinks.userId, userId);
    const links = await tx.select({ email: mailLinks.email }).from(mailLinks).where(isTheirs);
    await forgetRecipients(
      tx,
      [owner, ...links].map(({ email }) => email),
    );
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
