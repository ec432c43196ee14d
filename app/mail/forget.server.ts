import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { outbox } from "../outbox/schema.ts";

/** Takes back mail that still waits to be sent, because whoever it was for is gone. @param leaveUrls what it carries as such */
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
