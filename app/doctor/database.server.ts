import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { sql } from "drizzle-orm";
import type { Pool } from "pg";
import { erasureFile } from "../backup/erasure-list.server.ts";
import { BACKUP_LOCK } from "../backup/records.server.ts";
import type { Payments } from "../billing/stripe.server.ts";
import type { Config } from "../config/config.server.ts";
import type { Database } from "../db/client.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { findMigrationState } from "../db/migration-state.server.ts";
import { SEEN_SECONDS } from "../db/process-row.server.ts";
import { readFindings } from "../figures/findings.server.ts";
import type { OverviewCounts } from "../figures/overview-counts.server.ts";
import { formatDuration } from "../ui/format-duration.ts";
import { type Found, fail, ok, warn } from "./finding.ts";
import { ONCE } from "./services.server.ts";

const HOUR_SECONDS = 60 * 60;
const CONNECTION_SHARE = 0.8;
const LATE_SECONDS = 5 * 60;
/** The comparison with Stripe is nightly. */
const COMPARED_SECONDS = 36 * HOUR_SECONDS;
/** Backups are nightly. */
const BACKUP_SECONDS = { warn: 26 * HOUR_SECONDS, fail: 72 * HOUR_SECONDS };
/** The list of deletions is written every hour. */
const LIST_SECONDS = 3 * HOUR_SECONDS;
const FAILING = "npm run ops -- jobs list failing says with what";
const BACKUP_ADVICE = "npm run backup; docs/operate.md says how it is done every night";

export async function checkDatabase(pool: Pick<Pool, "query">, url: string): Promise<Found> {
  const { rows } = await pool.query(`
    SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isReplica",
      (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most`);
  const [{ version, isReplica, used, most }] = rows;
  const { host, pathname } = new URL(url);
  const schema = await findMigrationState(pool);
  return [
    ok(`PostgreSQL ${version.split(" ")[0]} at ${host}${pathname}, ${used} of ${most} connections used`),
    isReplica && fail("it is a replica, which cannot be written to", "let DATABASE_URL lead to the primary"),
    schema === "older" && fail("the schema is older than this code", "npm run migrate"),
    schema === "newer" &&
      warn(
        "the schema is newer than this code, as while the next version is rolled out",
        "run the doctor of the version that the site runs on",
      ),
    used > most * CONNECTION_SHARE &&
      warn(`only ${most - used} connections are left`, "raise max_connections, or lower DATABASE_POOL_SIZE"),
  ];
}

export async function checkInvariants(pool: Pool): Promise<Found> {
  const violations = await findViolations(pool);
  if (violations.length === 0) return [ok("all rules about the data hold")];
  return violations.map(({ rule, rows }) =>
    fail(`does not hold: ${rule} (${rows.length} rows)`, "npm run ops -- invariants shows the rows"),
  );
}

export function checkJobs({ openJobs, oldestDueSeconds, stuckJobs }: OverviewCounts): Found {
  const due = oldestDueSeconds ?? 0;
  return [
    ok(`${openJobs} open`),
    due > LATE_SECONDS &&
      fail(
        `a job has been due for ${formatDuration(due)} and nothing takes it: no worker runs, or it cannot keep up`,
        "is a process with ROLE=worker or all running? npm run ops -- jobs list",
      ),
    stuckJobs !== null &&
      fail(`${many(stuckJobs.count, "job")} failed again and again, and will be tried again`, FAILING),
  ];
}

export function checkMailQueue({ stuckMails, mailsGivenUp }: OverviewCounts): Found {
  return [
    stuckMails !== null &&
      fail(
        `${many(stuckMails.count, "mail")} could not be sent so far; the site tries for five days`,
        FAILING,
      ),
    mailsGivenUp > 0 &&
      warn(
        `${many(mailsGivenUp, "mail")} given up in the last week: the address may not exist`,
        "see /admin/mail?state=given_up",
      ),
  ];
}

/** @param settledSeconds how old an event is that Stripe has retried */
export async function checkWebhooks(
  db: Database,
  { unhandledEvents, oldestEventSeconds }: OverviewCounts,
  payments: Payments,
  settledSeconds: number,
): Promise<Found> {
  // To this site, or to another endpoint of the account.
  const undelivered = await listUndelivered(payments, settledSeconds);
  const { rows } = await db.execute(sql`
    SELECT FROM jsonb_array_elements_text(${JSON.stringify(undelivered)}::jsonb) AS at_stripe (id)
    WHERE NOT EXISTS (SELECT FROM stripe_events WHERE stripe_events.id = at_stripe.id)`);
  const oldest = oldestEventSeconds ?? 0;
  return [
    rows.length > 0 &&
      fail(
        `${many(rows.length, "event")} of the last day did not get through from Stripe`,
        "is STRIPE_WEBHOOK_SECRET the endpoint’s own, and its address reachable? Meanwhile npm run ops -- reconcile",
      ),
    oldest > LATE_SECONDS &&
      fail(
        `${many(unhandledEvents, "event")} from Stripe not handled yet, the oldest for ${formatDuration(oldest)}: a customer may have paid and not have their plan`,
        "npm run ops -- jobs list failing",
      ),
  ];
}

/** Of the last day; none while Stripe does not say. */
async function listUndelivered(payments: Payments, settledSeconds: number): Promise<string[]> {
  if (!payments.isOn) return [];
  const now = Math.floor(Date.now() / 1000);
  const created = { gte: now - 24 * 60 * 60, lte: now - settledSeconds };
  const query = { delivery_success: false, created, limit: 100 };
  const events = await payments.stripe.events.list(query, ONCE).catch(() => null);
  return events?.data.map(({ id }) => id) ?? [];
}

export async function checkReconciliation(db: Database): Promise<Found> {
  const findings = await readFindings(db);
  if (!findings) return [ok("nothing was compared with Stripe yet; it is done nightly")];
  const { mended, failed, orphans, comparedAt } = findings;
  const age = (Date.now() - comparedAt.getTime()) / 1000;
  return [
    ok(`customers were compared with Stripe ${formatDuration(age)} ago`),
    failed > 0 &&
      fail(
        `${many(failed, "customer")} could not be compared with Stripe`,
        "npm run ops -- reconcile says why",
      ),
    orphans > 0 &&
      fail(
        `${many(orphans, "subscription")} at Stripe paid for by a customer without an account here`,
        "npm run ops -- reconcile names them; cancel and refund them at Stripe",
      ),
    mended > 0 &&
      warn(
        `${many(mended, "difference")} from Stripe found at the last comparison and put right: events get lost`,
        "see webhooks above; npm run ops -- reconcile compares again",
      ),
    age > COMPARED_SECONDS &&
      warn(
        `the last comparison with Stripe was ${formatDuration(age)} ago; it should be nightly`,
        "is a worker running between 3 and 6 o’clock UTC? npm run ops -- reconcile does it now",
      ),
  ];
}

export async function checkProcesses(db: Database): Promise<Found> {
  const { rows } = await db.execute<{ role: string; version: string; host: string; age: number }>(sql`
    SELECT role, version, host, extract(epoch FROM now() - seen_at)::float8 AS age FROM processes
    WHERE seen_at > now() - interval '1 hour' ORDER BY seen_at DESC LIMIT 100`);
  const running = rows.filter(({ age }) => age < SEEN_SECONDS);
  const gone = rows.filter(({ age }) => age >= SEEN_SECONDS);
  const has = (one: string) => running.some(({ role }) => role === one || role === "all");
  const versions = [...new Set(running.map(({ version }) => version))];
  const hostsOf = (some: typeof rows) => [...new Set(some.map(({ host }) => host))].join(", ");
  const places = versions.map(
    (each) => `version ${each} at ${hostsOf(running.filter(({ version }) => version === each))}`,
  );
  return [
    ok([many(running.length, "process", "processes"), ...places].join("; ")),
    !has("web") && fail("no process serves the site", "start one with ROLE=web or all"),
    !has("worker") &&
      fail(
        "no process does the background work: mail, payments and promised jobs wait",
        "start one with ROLE=worker or all",
      ),
    versions.length > 1 &&
      warn(`${versions.length} versions run side by side`, "finish the upgrade, see docs/operate.md"),
    gone.length > 0 &&
      warn(
        `${many(gone.length, "process", "processes")} ended without saying so, last seen ${formatDuration(gone[0]?.age ?? 0)} ago at ${hostsOf(gone)}`,
        "killed, out of memory, or the machine went away? Its log’s end and the system’s journal say",
      ),
  ];
}

function many(count: number, thing: string, things = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`;
}

/** The age of the last good backup, whether its restore was tested, and the list of deletions beside it. */
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
  const old = `the last good backup is ${formatDuration(good ?? 0)} old`;
  return [
    failure !== null && fail(`the last backup failed: ${failure}`, BACKUP_ADVICE),
    good === null &&
      (isProduction ? fail("there is no backup", BACKUP_ADVICE) : ok("there is none, and no need")),
    good !== null && good <= BACKUP_SECONDS.warn && ok(old),
    good !== null &&
      good > BACKUP_SECONDS.warn &&
      (good > BACKUP_SECONDS.fail ? fail : warn)(old, BACKUP_ADVICE),
    good !== null &&
      !isChecked &&
      warn("the last backup was not restored to see whether it can be", BACKUP_ADVICE),
    isProduction && (await checkList(backup)),
  ];
}

/** Says nothing when BACKUP_DIR is on another machine. */
async function checkList({ dir, key }: Config["backup"]): Promise<Found[number]> {
  if (!existsSync(dir)) return false;
  const path = erasureFile(dir, key);
  const age = existsSync(path) ? (Date.now() - (await stat(path)).mtimeMs) / 1000 : null;
  const advice = "npm run backup -- erasures, every hour, says what is wrong; was BACKUP_KEY changed?";
  const back = "users deleted since would come back with a restore";
  if (age === null) return warn(`there is no list of deletions in ${dir}: ${back}`, advice);
  return (
    age > LIST_SECONDS &&
    warn(
      `the list of deletions, ${basename(path)}, was last written ${formatDuration(age)} ago: ${back}`,
      advice,
    )
  );
}
