import type { AccountNotice } from "../account/reset-password.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { outbox } from "../db/schema.ts";
import type { Mail } from "../mail/mail.server.ts";

/** Work that must happen after a commit, by what it needs. A new kind gets its handler in app.server.ts. */
export interface Jobs {
  sync_customer: { stripeCustomerId: string; eventId?: string };
  update_customer: { userId: string };
  delete_customer: { stripeCustomerId: string };
  close_attempt: { attemptId: string };
  sync_catalogue: { eventId?: string };
  send_mail: Mail;
  notice_owner: { notice: AccountNotice; email: string };
}

export type JobKind = keyof Jobs;

export type JobHandlers = { [Kind in JobKind]: (payload: Jobs[Kind], job: Job) => Promise<void> };

/** The row a job is. */
export interface Job {
  id: string;
  createdAt: Date;
}

/** Writes a job in the caller's own transaction: it exists exactly when the reason for it does. */
export async function enqueue<Kind extends JobKind>(
  tx: Queryable,
  kind: Kind,
  payload: Jobs[Kind],
): Promise<void> {
  await tx.insert(outbox).values({ kind, payload });
}
