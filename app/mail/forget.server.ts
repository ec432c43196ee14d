import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { outbox } from "../outbox/schema.ts";
import { SEND_MAIL } from "./enqueue-mail.server.ts";
import { mails } from "./schema.ts";

/** Waiting waitlist mail, which has a `leaveUrl`, after its recipients have left. @param recipients in lower case */
export async function forgetMail(tx: Queryable, recipients: string[]): Promise<void> {
  if (recipients.length === 0) return;
  await tx
    .delete(outbox)
    .where(
      and(
        eq(outbox.kind, SEND_MAIL.name),
        isNull(outbox.doneAt),
        inArray(sql`${outbox.payload} ->> 'to'`, recipients),
        sql`${outbox.payload} ->> 'leaveUrl' IS NOT NULL`,
      ),
    );
}

/** From the operator's list of mails. What still waits is sent all the same. @param recipients in lower case */
export async function forgetRecipients(tx: Queryable, recipients: string[]): Promise<void> {
  if (recipients.length === 0) return;
  await tx.delete(mails).where(inArray(mails.recipient, recipients));
}
