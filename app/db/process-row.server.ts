import { hostname } from "node:os";
import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "./client.server.ts";

/** Between two renewals, in milliseconds: whoever looks for processes believes a row for some minutes. */
export const RENEW_MILLISECONDS = 30_000;

/** What others know a process by. */
export interface ProcessFacts {
  id: string;
  role: "web" | "worker" | "all";
  version: string;
}

/**
 * What renews the row of a process (table `processes`), as common table expressions: a process renews it with the question it asks
 * anyway (pulse.server.ts). Written anew if it is gone, as after a backup was restored. A process that was killed stays as last
 * seen, for a day, so that it can be missed.
 */
export function renewal({ id, role, version }: ProcessFacts): SQL {
  return sql`
    WITH trimmed AS (DELETE FROM processes WHERE seen_at < now() - interval '1 day'),
    seen AS (
      INSERT INTO processes (id, role, version, host) VALUES (${id}, ${role}, ${version}, ${hostname()})
      ON CONFLICT (id) DO UPDATE SET seen_at = now()
    )`;
}

/** Tells whoever looks that there is this process. */
export async function announceProcess(db: Queryable, facts: ProcessFacts): Promise<void> {
  await db.execute(sql`${renewal(facts)} SELECT`);
}

/** Says that it has ended, after its last renewal. */
export async function removeProcess(db: Queryable, id: string): Promise<void> {
  await db.execute(sql`DELETE FROM processes WHERE id = ${id}`);
}
