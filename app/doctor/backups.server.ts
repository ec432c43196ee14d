import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { sql } from "drizzle-orm";
import { erasureFile } from "../backup/erasure-list.server.ts";
import { BACKUP_LOCK } from "../backup/records.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database } from "../db/client.server.ts";
import { inWords } from "../ui/in-words.ts";
import { type Found, fail, ok, warn } from "./finding.ts";

const BACKUP_SECONDS = { warn: 26 * 60 * 60, fail: 3 * 24 * 60 * 60 };
/** The list of deletions is written every hour. */
const LIST_SECONDS = 3 * 60 * 60;
const ADVICE = "npm run backup; docs/operate.md says how it is done every night";

/** How old the last good backup is, whether it was restored to see whether it can be, and the list of deletions beside it. */
export async function checkBackups(
  db: Database,
  { backup, isProduction }: Pick<Config, "backup" | "isProduction">,
): Promise<Found> {
  // While one is made or checked it has not failed yet.
  const { rows } = await db.execute<{ good: number | null; isChecked: boolean; failure: string | null }>(sql`
    SELECT extract(epoch FROM now() - good.started_at)::float8 AS good, good.checked_at IS NOT NULL AS "isChecked",
      (SELECT failure FROM backups WHERE NOT EXISTS (
        SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
        WHERE locktype = 'advisory' AND classid = 0 AND objid = ${BACKUP_LOCK} AND datname = current_database()
      ) ORDER BY started_at DESC LIMIT 1) AS failure
    FROM (SELECT) AS always LEFT JOIN (
      SELECT started_at, checked_at FROM backups WHERE finished_at IS NOT NULL AND failure IS NULL
      ORDER BY started_at DESC LIMIT 1
    ) AS good ON true`);
  const { good = null, isChecked = false, failure = null } = rows[0] ?? {};
  const old = `the last good backup is ${inWords(good ?? 0)} old`;
  return [
    failure !== null && fail(`the last backup failed: ${failure}`, ADVICE),
    good === null && (isProduction ? fail("there is no backup", ADVICE) : ok("there is none, and no need")),
    good !== null && good <= BACKUP_SECONDS.warn && ok(old),
    good !== null && good > BACKUP_SECONDS.warn && (good > BACKUP_SECONDS.fail ? fail : warn)(old, ADVICE),
    good !== null && !isChecked && warn("the last backup was not restored to see whether it can be", ADVICE),
    isProduction && (await checkList(backup)),
  ];
}

/** Whether somebody who is deleted now would stay so. Of a folder that only another machine has, nothing is said. */
async function checkList({ dir, key }: Config["backup"]): Promise<Found[number]> {
  if (!existsSync(dir)) return false;
  const path = erasureFile(dir, key);
  const age = existsSync(path) ? (Date.now() - (await stat(path)).mtimeMs) / 1000 : null;
  const advice = "npm run backup -- erasures, every hour, says what is wrong; was BACKUP_KEY changed?";
  const back = "whoever was deleted since would come back with a restore";
  if (age === null) return warn(`there is no list of deletions in ${dir}: ${back}`, advice);
  return (
    age > LIST_SECONDS &&
    warn(`the list of deletions, ${basename(path)}, was last written ${inWords(age)} ago: ${back}`, advice)
  );
}
