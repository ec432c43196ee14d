import type { Queryable } from "../db/client.server.ts";
import { auditLog } from "./schema.ts";

/** Who changes something as an operator: their address in the console, or the command line. */
export interface Actor {
  /** As the audit log shows it. */
  name: string;
}

/** What `npm run ops` signs with: whoever has a shell here has the database as well. */
export const COMMAND_LINE: Actor = { name: "npm run ops" };

/** One change by an operator, as the audit log keeps it. */
export interface Change {
  /** Subject and past tense: `promo_code.paused`. */
  action: `${string}.${string}`;
  /** Kind and id: `promo_code:SPRING`, `user:8c1f…`. Never an address or a name, which outlive the account here. */
  subject: `${string}:${string}`;
  before?: object | null;
  after?: object | null;
  /** In the operator's words. */
  reason?: string;
}

/** Writes a change into the audit log, within the transaction that makes it: neither exists without the other. */
export async function recordChange(
  tx: Queryable,
  { name: actor }: Actor,
  { action, subject, before = null, after = null, reason }: Change,
): Promise<void> {
  await tx.insert(auditLog).values({ actor, action, subject, before, after, reason: reason ?? null });
}
