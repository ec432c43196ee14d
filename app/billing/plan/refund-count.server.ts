import { createHmac } from "node:crypto";
import { and, count, gt, inArray, sql } from "drizzle-orm";
import { mailboxOf } from "../../auth/mailbox.ts";
import type { Config } from "../../config/config.server.ts";
import { contactMessages } from "../../contact/schema.ts";
import { putMessage } from "../../contact/store.server.ts";
import type { Database, Queryable } from "../../db/client.server.ts";
import { countedRefunds } from "../schema.ts";

type Parts = { db: Database; config: Pick<Config, "authSecret" | "authSecrets" | "site"> };

/** Refunds a year that are paid without an operator's decision (decision 0041). */
const MOST_REFUNDS = 2;

/** Whether a mailbox, with all its accounts, has had `MOST_REFUNDS` within a year. */
export async function isRefundDecidedByHand({ db, config }: Parts, email: string): Promise<boolean> {
  const [row] = await db
    .select({ count: count() })
    .from(countedRefunds)
    .where(
      and(
        inArray(
          countedRefunds.mailboxHash,
          config.authSecrets.map((secret) => hashRefundMailbox(secret, email)),
        ),
        gt(countedRefunds.refundedAt, sql`now() - interval '1 year'`),
      ),
    );
  return (row?.count ?? 0) >= MOST_REFUNDS;
}

/** @param tx the transaction that records the refund */
export async function countRefund(
  tx: Queryable,
  config: Parts["config"],
  email: string,
  subscriptionId: string,
): Promise<void> {
  await tx
    .insert(countedRefunds)
    .values({ subscriptionId, mailboxHash: hashRefundMailbox(config.authSecret, email) })
    .onConflictDoNothing();
}

/** Asks an operator, by a contact message and a mail. Asking again reopens the message. */
export async function askForRefundByHand(
  { db, config: { site } }: Parts,
  user: { id: string; name: string; email: string },
  { subscriptionId, name, amount }: { subscriptionId: string; name: string; amount: string },
): Promise<void> {
  const message = [
    `Requests a refund of ${amount} for ${name} (${subscriptionId}). This mailbox has had two refunds within a year, so it isn’t paid automatically.`,
    `To pay it, press “Refund beyond the promise” at ${site.origin}/admin/people/${user.id}: what was due when they asked is paid, and the plan ends. Either way, answer here. A withdrawal within the 14 days of the law is not for us to refuse: its own page pays it at once.`,
  ].join("\n\n");
  const sent = { name: user.name || user.email, email: user.email, topic: "payment" as const, message };
  await db.transaction((tx) => putMessage(tx, site, sent, sql`${contactMessages.answeredAt} IS NOT NULL`));
}

/** Keyed, because a plain hash of an address can be guessed. Equal for all refunds of a mailbox, so that they can be counted. */
function hashRefundMailbox(authSecret: string, email: string): string {
  return createHmac("sha256", authSecret)
    .update(`counted_refund:${mailboxOf(email)}`)
    .digest("base64url");
}
