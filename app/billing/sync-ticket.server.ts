import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";

/**
 * Draws a number for one request to Stripe, before it is sent. Rows carry the ticket of the answer they were written
 * from, and an answer with a lower ticket is discarded.
 */
export async function drawSyncTicket(db: Queryable): Promise<bigint> {
  const { rows } = await db.execute<{ ticket: string }>(sql`SELECT nextval('sync_ticket') AS ticket`);
  return BigInt(rows[0]?.ticket ?? 0);
}
