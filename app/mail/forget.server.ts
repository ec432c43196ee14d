import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { outbox } from "../outbox/schema.ts";
import { mails } from "./schema.ts";

/**
 * Deletes mail of the waitlist, which is what has a `leaveUrl`, that is still waiting to be sent, after its recipients have left.
 *
 * @param recipients in lower case
 */
export async function forgetMail(tx: Queryable, recipients: string[]): Promise<void> {
  if (recipients.length === 0) return;
  await tx
    .delete(outbox)
    .where(
      and(
        eq(outbox.kind, "send_mail"),
        isNull(outbox.doneAt),
        inArray(sql`${outbox.payload} ->> 'to'`, recipients),
        sql`${outbox.payload} ->> 'leaveUrl' IS NOT NULL`,
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
