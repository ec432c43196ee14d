import type { Client } from "pg";

/** Held while a backup is made: two at once would write the same file. */
const BACKUP_LOCK = 7_130_014;
/** In characters: a row is for looking at, the whole is on the terminal. */
const MAX_FAILURE = 300;

/** @returns whether no other process makes a backup of this database, until the connection ends */
export async function claimBackup(client: Client): Promise<boolean> {
  const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS is_ours", [BACKUP_LOCK]);
  return rows[0]?.is_ours === true;
}

/**
 * Says in the table `backups` what becomes of a backup. A database of a version without that table is backed up all the
 * same, as before it is brought up to date.
 */
export async function openRecord(client: Client, id: string, method: "dump" | "cluster") {
  const { rowCount: hasTable } = await client.query(
    "SELECT FROM pg_class WHERE oid = to_regclass('public.backups')",
  );
  const query = async (text: string, values: unknown[]) => {
    if (hasTable) await client.query(text, values);
  };
  await query("INSERT INTO backups (id, method) VALUES ($1, $2)", [id, method]);
  return {
    written: (file: string, bytes: number, sha256: string, isEncrypted: boolean) =>
      query(
        "UPDATE backups SET file = $2, bytes = $3, sha256 = $4, is_encrypted = $5, finished_at = now() WHERE id = $1",
        [...[id, file, bytes, sha256, isEncrypted]],
      ),
    checked: () => query("UPDATE backups SET checked_at = now() WHERE id = $1", [id]),
    failed: (why: string) =>
      query("UPDATE backups SET failure = $2, finished_at = coalesce(finished_at, now()) WHERE id = $1", [
        ...[id, why.slice(0, MAX_FAILURE)],
      ]),
    /** Also forgets those that were begun and never ended, because their process was killed. */
    forget: (files: readonly string[], keepDays: number) =>
      query(
        `DELETE FROM backups WHERE file = ANY ($1)
         OR (file IS NULL AND started_at < now() - make_interval(days => $2::int))`,
        [files, keepDays],
      ),
  };
}
