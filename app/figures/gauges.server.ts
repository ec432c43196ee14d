import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { connect, endPool, type Queryable } from "../db/client.server.ts";
import { SEEN_SECONDS } from "../db/process-row.server.ts";
import { READ } from "../telemetry/metrics.ts";
import type { Sample } from "../telemetry/registry.server.ts";
import { readFindings } from "./findings.server.ts";
import { MOST_COUNTED, OPEN_JOBS, readOverviewCounts, STUCK } from "./overview-counts.server.ts";

/** However often it is scraped. */
const CACHE_MILLISECONDS = 5_000;
const TIMEOUT_SECONDS = 2;

type ReadName = keyof typeof READ;

/** In every scrape, or, while the database is away, in none. */
export const READ_NAMES = Object.keys(READ) as ReadName[];

/** On a connection of its own: a pool in which everything waits must not hide the gauges. */
export function watchGauges(url: string) {
  const { db, pool } = connect(url, 1, () => {}, TIMEOUT_SECONDS);
  let last: { readAt: number; samples: Promise<Sample[]> } | undefined;

  return {
    /** Never rejects: without the database, only `db_up` is there, 0. */
    read(): Promise<Sample[]> {
      const now = performance.now();
      if (!last || now - last.readAt > CACHE_MILLISECONDS) last = { readAt: now, samples: readInTime() };
      return last.samples;
    },
    close: () => endPool(pool),
  };

  function readInTime(): Promise<Sample[]> {
    const read = readGauges(db).catch(() => AWAY);
    return Promise.race([read, sleep(TIMEOUT_SECONDS * 1000, AWAY, { ref: false })]);
  }
}

/** Without the database. */
export const AWAY: Sample[] = [{ name: "db_up", value: 0 }];

/** A bounded number of rows, by index. */
async function readGauges(db: Queryable): Promise<Sample[]> {
  const counts = await readOverviewCounts(db);
  const findings = await readFindings(db);
  const samples: Sample[] = [
    { name: "db_up", value: 1 },
    ...(await readSamples(db)),
    { name: "stripe_webhook_unhandled_events", value: counts.unhandledEvents },
    { name: "stripe_webhook_oldest_unhandled_seconds", value: counts.oldestEventSeconds ?? 0 },
  ];
  if (counts.eventDelaySeconds !== null)
    samples.push({ name: "stripe_webhook_delay_seconds", value: counts.eventDelaySeconds });
  if (findings) {
    const { customers, mended, failed, orphans, comparedAt } = findings;
    for (const [result, value] of Object.entries({ compared: customers, mended, failed, orphans }))
      samples.push({ name: "reconcile_customers", value, labels: { result } });
    samples.push({ name: "reconcile_last_run_timestamp_seconds", value: comparedAt.getTime() / 1000 });
  }
  return samples;
}

async function readSamples(db: Queryable): Promise<Sample[]> {
  const { rows } = await db.execute<{ name: ReadName; label: string | null; value: number | null }>(sql`
    WITH open_jobs AS (${OPEN_JOBS}), due AS (
      (SELECT kind, run_at FROM outbox
        WHERE done_at IS NULL AND run_at <= now() AND kind <> 'send_mail' ORDER BY run_at LIMIT ${MOST_COUNTED})
      UNION ALL
      (SELECT kind, run_at FROM outbox
        WHERE done_at IS NULL AND run_at <= now() AND kind = 'send_mail' ORDER BY run_at LIMIT ${MOST_COUNTED})
    )
    SELECT 'db_size_bytes' AS name, NULL AS label, pg_database_size(current_database())::float8 AS value
    UNION ALL SELECT 'outbox_open_jobs', kind, count(*) FROM open_jobs GROUP BY kind
    UNION ALL SELECT 'outbox_stuck_jobs', kind,
      count(*) FILTER (WHERE ${STUCK}) FROM open_jobs GROUP BY kind
    UNION ALL SELECT 'outbox_oldest_due_seconds', kind, extract(epoch FROM now() - min(run_at)) FROM due GROUP BY kind
    UNION ALL SELECT 'processes_running', role, count(*) FROM processes
      WHERE seen_at > now() - make_interval(secs => ${SEEN_SECONDS}) GROUP BY role
    UNION ALL SELECT 'mails_waiting', NULL, count(*) FROM (
      SELECT FROM mails WHERE sent_at IS NULL AND given_up_at IS NULL LIMIT ${MOST_COUNTED}) AS waiting
    UNION ALL SELECT 'mails_given_up', NULL, count(*) FILTER (WHERE given_up_at > now() - interval '1 day') FROM (
      SELECT given_up_at FROM mails WHERE given_up_at IS NOT NULL ORDER BY id DESC LIMIT ${MOST_COUNTED}) AS given_up
    UNION ALL SELECT 'backup_last_success_timestamp_seconds', NULL, extract(epoch FROM max(finished_at)) FROM backups
      WHERE failure IS NULL
    UNION ALL SELECT 'backup_last_checked_timestamp_seconds', NULL, extract(epoch FROM max(checked_at)) FROM backups
    UNION ALL SELECT 'stripe_webhook_last_received_timestamp_seconds', NULL,
      extract(epoch FROM max(received_at)) FROM stripe_events`);
  return rows.flatMap(({ name, label, value }) => {
    const key = Object.keys(READ[name].labels)[0];
    return value === null
      ? []
      : { name, value: Number(value), ...(key && label !== null && { labels: { [key]: label } }) };
  });
}
