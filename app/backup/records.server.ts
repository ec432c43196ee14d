import type { Client } from "pg";

/** Two at once would write the same file. */
export const BACKUP_LOCK = 7_130_014;
/** Stays for good when the process was killed. */
const UNCHECKED = "its check did not end";
/** In characters; the terminal has the whole. */
const MAX_FAILURE = 300;

/** @returns whether no other process backs up this database, until the connection ends */
export async function claimBackup(client: Client): Promise<boolean> {
  const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS is_ours", [BACKUP_LOCK]);
  return rows[0]?.is_ours === true;
}

/** A database of a version without the table `backups` is backed up all the same. */
export async function openRecord(client: Client, id: string, method: "dump" | "cluster") {
  const { rowCount: hasTable } = await client.query(
    "SELECT FROM pg_class WHERE oid = to_regclass('public.backups')",
  );
  const query = async (text: string, values: unknown[]) => {
    if (hasTable) await client.query(text, values);
  };
  await query("INSERT INTO backups (id, method) VALUES ($1, $2)", [id, method]);
  return {
    /** @param isChecked whether it only counts once checked */
    written: (file: string, bytes: number, sha256: string, isEncrypted: boolean, isChecked: boolean) =>
      query(
        `UPDATE backups SET file = $2, bytes = $3, sha256 = $4, is_encrypted = $5, finished_at = now(), failure = $6
         WHERE id = $1`,
        [id, file, bytes, sha256, isEncrypted, isChecked ? UNCHECKED : null],
      ),
    /** @param failure `null`: its data is sound */
    checked: (failure: string | null) =>
      query("UPDATE backups SET checked_at = now(), failure = $2 WHERE id = $1", [
        id,
        failure?.slice(0, MAX_FAILURE) ?? null,
      ]),
    async newestGood(): Promise<string | null> {
      if (!hasTable) return null;
      const { rows } = await client.query(
        "SELECT file FROM backups WHERE checked_at IS NOT NULL AND failure IS NULL ORDER BY started_at DESC LIMIT 1",
      );
      return rows[0]?.file ?? null;
    },
    failed: (why: string) =>
      query("UPDATE backups SET failure = $2, finished_at = coalesce(finished_at, now()) WHERE id = $1", [
        id,
        why.slice(0, MAX_FAILURE),
      ]),
    /** Also forgets those that never ended, because their process was killed. */
    forget: (files: readonly string[], keepDays: number) =>
      query(
        `DELETE FROM backups WHERE file = ANY ($1)
         OR (file IS NULL AND started_at < now() - make_interval(days => $2::int))`,
        [files, keepDays],
      ),
  };
}
