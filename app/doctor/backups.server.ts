import { existsSync, readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sql } from "drizzle-orm";
import { erasureFile } from "../backup/erasure-list.server.ts";
import { BACKUP_LOCK } from "../backup/records.server.ts";
import { REPLACED } from "../backup/staging.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database } from "../db/client.server.ts";
import { findHome } from "../db/embedded-home.server.ts";
import { inWords } from "../ui/in-words.ts";
import type { Finding } from "./finding.ts";

type Found = Omit<Finding, "check">[];

const BACKUP_SECONDS = { warn: 26 * 60 * 60, fail: 3 * 24 * 60 * 60 };
/** The list of deletions is written every hour. */
const LIST_SECONDS = 3 * 60 * 60;

/** Backups, the list of deletions beside them, and what a restore has left. */
export async function checkBackups(
  db: Database,
  config: Pick<Config, "backup" | "dataDir" | "database" | "isProduction">,
): Promise<Found> {
  const [backups, list, replaced] = await Promise.all([
    checkLast(db, config.isProduction),
    config.isProduction ? checkList(config.backup) : [],
    config.database ? listReplaced(db) : listReplacedClusters(config.dataDir),
  ]);
  return [...backups, ...list, ...replaced.map((name) => describeReplaced(name, config.backup.keepDays))];
}

/** How old the last good backup is, and whether it was restored to see whether it can be. */
async function checkLast(db: Database, isProduction: boolean): Promise<Found> {
  const { rows } = await db.execute<{ good: number | null; isChecked: boolean; failure: string | null }>(sql`
    SELECT (SELECT failure FROM backups WHERE NOT (${isAtIt()}) ORDER BY started_at DESC LIMIT 1) AS failure,
      extract(epoch FROM now() - good.started_at)::float8 AS good, good.checked_at IS NOT NULL AS "isChecked"
    FROM (SELECT) AS always LEFT JOIN (
      SELECT started_at, checked_at FROM backups WHERE finished_at IS NOT NULL AND failure IS NULL
      ORDER BY started_at DESC LIMIT 1
    ) AS good ON true`);
  const { good = null, isChecked = false, failure = null } = rows[0] ?? {};
  const advice = "npm run backup; docs/backup.md says how it is done every night";
  const found: Found = [];
  if (failure) found.push({ level: "fail", says: `the last backup failed: ${failure}`, advice });
  if (good === null && isProduction) found.push({ level: "fail", says: "there is no backup", advice });
  else if (good === null && !failure)
    found.push({ level: "ok", says: "there is none, and no need outside production" });
  else if (good !== null && good > BACKUP_SECONDS.warn)
    found.push({
      level: good > BACKUP_SECONDS.fail ? "fail" : "warn",
      says: `the last good backup is ${inWords(good)} old`,
      advice,
    });
  else if (good !== null && !isChecked)
    found.push({
      level: "warn",
      says: "the last backup was not restored to see whether it can be",
      advice: "npm run backup does so unless it is told not to; see docs/backup.md",
    });
  if (found.length > 0 || good === null) return found;
  return [{ level: "ok", says: `the last one is ${inWords(good)} old, and was restored to look at it` }];
}

/** Whether one is made or checked just now, so that the last has not failed yet. */
const isAtIt = () => sql`EXISTS (
  SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
  WHERE locktype = 'advisory' AND classid = 0 AND objid = ${BACKUP_LOCK} AND datname = current_database())`;

/** Whether somebody who is deleted now would stay so. Of a folder that only another machine has, nothing is said. */
async function checkList({ dir, key }: Config["backup"]): Promise<Found> {
  if (!existsSync(dir)) return [];
  const path = erasureFile(dir, key);
  const age = existsSync(path) ? (Date.now() - (await stat(path)).mtimeMs) / 1000 : null;
  if (age !== null && age <= LIST_SECONDS) return [];
  return [
    {
      level: "warn",
      says:
        age === null
          ? `there is no list of deletions in ${dir}: after a restore, people who were deleted would be there again`
          : `the list of deletions, ${basename(path)}, was last written ${inWords(age)} ago: whoever was deleted since would come back with a restore`,
      advice:
        "npm run backup -- erasures, every hour, says what is wrong; was BACKUP_KEY changed? docs/backup.md says how",
    },
  ];
}

/** Databases that a restore has replaced and kept. */
async function listReplaced(db: Database): Promise<string[]> {
  const { rows } = await db.execute<{ datname: string }>(sql`
    SELECT datname FROM pg_database WHERE starts_with(datname, left(current_database(), 40) || ${REPLACED}) ORDER BY 1 LIMIT 20`);
  return rows.map(({ datname }) => datname);
}

async function listReplacedClusters(dataDir: string): Promise<string[]> {
  const { cluster } = await findHome(dataDir, () => {});
  const folder = dirname(cluster);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(cluster)}.replaced-`))
    .map((name) => join(folder, name));
}

function describeReplaced(name: string, keepDays: number): Found[number] {
  return {
    level: "warn",
    says: `${name}, which a restore has replaced, still holds everybody who was in it`,
    advice: `delete it when you do not need it, at the latest after ${keepDays} days (BACKUP_KEEP_DAYS): docs/backup.md says how`,
  };
}
