import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { outbox } from "../outbox/schema.ts";
import { mails } from "./schema.ts";

/**
 * Deletes mail that is still waiting to be sent, after its recipient has left.
 *
 * @param leaveUrls the `leaveUrl` of each such mail
 */
export async function forgetMail(tx: Queryable, leaveUrls: string[]): Promise<void> {
  if (leaveUrls.length === 0) return;
  await tx
    .delete(outbox)
    .where(
      and(
        eq(outbox.kind, "send_mail"),
        isNull(outbox.doneAt),
        inArray(sql`${outbox.payload} ->> 'leaveUrl'`, leaveUrls),
      ),
    );
}

/**
 * Takes addresses out of the operator's list of mails, after their owners have left. What still waits is sent all the same.
 *
 * @param recipients in lower case
 */
export async function forgetRecipients(tx: Queryable, recipients: string[]): Promise<void> {
  if (recipients.length === 0) return;
  await tx.delete(mails).where(inArray(mails.recipient, recipients));
}
