import { sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";

/**
 * A number for one asking of Stripe, drawn before the question. What is stored carries the ticket of its answer,
 * and an answer with a lower one comes too late to be written.
 */
export async function drawSyncTicket(db: Queryable): Promise<bigint> {
  const { rows } = await db.execute<{ ticket: string }>(sql`SELECT nextval('sync_ticket') AS ticket`);
  return BigInt(rows[0]?.ticket ?? 0);
}
