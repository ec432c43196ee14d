import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { auditLog } from "./schema.ts";

/** Who changes something as an operator: their address in the console, or the command line. */
export interface Actor {
  /** As the audit log shows it. */
  name: string;
  /** The session they act in. The database signs with whose it is, and without one writes its own role before the name. */
  sessionId?: string;
}

/** What `npm run ops` signs with: a shell here is access to the database as well. */
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

/**
 * Writes a change into the audit log, within the transaction that makes it: neither exists without the other. When and by whom is up to
 * a trigger.
 */
export async function recordChange(
  tx: Queryable,
  { name: actor, sessionId = "" }: Actor,
  { action, subject, before = null, after = null, reason }: Change,
): Promise<void> {
  await tx.execute(sql`
    WITH own AS MATERIALIZED (SELECT set_config('audit.session', ${sessionId}, true) AS session)
    INSERT INTO ${auditLog} (actor, action, subject, before, after, reason)
    SELECT ${actor}, ${action}, ${subject}, ${before && JSON.stringify(before)}::jsonb, ${after && JSON.stringify(after)}::jsonb,
      ${reason ?? null} FROM own WHERE session IS NOT NULL`);
}
