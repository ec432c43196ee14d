import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { auditLog } from "./schema.ts";

export interface Actor {
  name: string;
  /** The database signs with its user; without a session, with its own role before the name. */
  sessionId?: string;
}

export const COMMAND_LINE: Actor = { name: "npm run ops" };

export interface Change {
  /** Subject and past tense: `promo_code.paused`. */
  action: `${string}.${string}`;
  /** `promo_code:SPRING`, `user:8c1f…`. Never an address or a name, which outlive the account here. */
  subject: `${string}:${string}`;
  before?: object | null;
  after?: object | null;
  reason?: string;
}

/** Within the transaction of the change: neither exists without the other. A trigger sets when and by whom. */
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
