import type { Database } from "./client.server.ts";

/**
 * Runs work that only one process may do at a time. The lock is held by a dedicated connection, so it is released when the
 * process dies.
 *
 * @param key identifies the work
 * @returns `null` when another process holds the lock
 */
export async function withAdvisoryLock<Done>(
  db: Database,
  key: number,
  work: () => Promise<Done>,
): Promise<Done | null> {
  const client = await db.$client.connect();
  let isLocked = false;
  try {
    const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS is_mine", [key]);
    isLocked = rows[0].is_mine;
    return isLocked ? await work() : null;
  } finally {
    const isFree =
      !isLocked ||
      (await client.query("SELECT pg_advisory_unlock($1)", [key]).then(
        () => true,
        () => false,
      ));
    // A connection that may still hold the lock is closed.
    client.release(!isFree);
  }
}
