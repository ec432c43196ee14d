import type { Database } from "./client.server.ts";

/** One process at a time. The lock's own connection releases it when the process dies. @returns `null` when another process holds it */
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
    client.release(!isFree);
  }
}
