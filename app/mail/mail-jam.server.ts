import { and, eq, isNull, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { outbox } from "../outbox/schema.ts";

const MOST_DUE_MAILS = 100;

/**
 * Whether so many mails are due that no more should be written to many people at once: otherwise a link somebody needs to log
 * in would wait behind thousands.
 */
export async function hasMailJam(db: Queryable): Promise<boolean> {
  const due = await db
    .select({ id: outbox.id })
    .from(outbox)
    .where(and(isNull(outbox.doneAt), sql`${outbox.runAt} <= now()`, eq(outbox.kind, "send_mail")))
    .limit(MOST_DUE_MAILS);
  return due.length === MOST_DUE_MAILS;
}
