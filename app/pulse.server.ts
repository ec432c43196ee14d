import { sql } from "drizzle-orm";
import { createBackgroundLoop } from "./background-loop.server.ts";
import type { Notifications } from "./db/notifications.server.ts";
import { type ProcessFacts, RENEW_MILLISECONDS, renewal } from "./db/process-row.server.ts";
import type { App } from "./http/context.server.ts";

/** How often the database is asked while messages arrive, in milliseconds: for what no message announces, or none did. */
const HEARING_MILLISECONDS = 5_000;
/** The same while none arrive, so that a change is still seen within a second. */
const DEAF_MILLISECONDS = 900;
/** However many messages arrive or requests queue jobs. */
const LEAST_PAUSE_MILLISECONDS = 100;
/** Due jobs whose kinds are looked at. When there are more, every worker has a look for itself. */
const MAX_DUE_JOBS = 1_000;
/** Until it is said that no messages arrive, in milliseconds: a connection that is lost is soon back. */
const PATIENCE_MILLISECONDS = 30_000;

export interface PulseOptions {
  notifications: Notifications;
  /** Whose row is renewed on the way. */
  process: ProcessFacts;
  /** Told which kinds of jobs are due; `null`: many, of any kind. Without it nobody asks for jobs. */
  onDue?: (kinds: readonly string[] | null) => void;
  /** Told when features, products or prices may have changed. */
  onChange: () => void;
  /** In milliseconds; tests have one of their own. */
  clock?: () => number;
}

type Beat = { due: string[] | null; next_seconds: number | null; state: string };

/**
 * One question, for all that a process would otherwise ask the database about again and again: which kinds of jobs are due, and
 * whether what is kept in memory has changed; and now and then it renews the row of the process. Asked at once when a message says so, or at the time of the next job, and
 * otherwise every 5 seconds; every second or so while messages do not arrive.
 */
export function createPulse(
  { db, log }: Pick<App, "db" | "log">,
  { notifications, process, onDue, onChange, clock = () => performance.now() }: PulseOptions,
) {
  let lastState: string | undefined;
  let nextJobMilliseconds = Number.POSITIVE_INFINITY;
  let deafSince: number | null = performance.now();
  let isDeafnessSaid = false;
  /** It was written just now, by serve.ts. */
  let renewedAt = clock();
  const loop = createBackgroundLoop(beat, {
    pauseMilliseconds: () =>
      Math.min(notifications.isHearing() ? HEARING_MILLISECONDS : DEAF_MILLISECONDS, nextJobMilliseconds),
    onError: (error) => log.warn({ error }, "could not look for changes and jobs"),
  });
  const look = atMostEvery(LEAST_PAUSE_MILLISECONDS, loop.wake);
  const unlisten = [notifications.listen("changes", look), notifications.listen("jobs", look)];

  async function beat(): Promise<void> {
    nextJobMilliseconds = Number.POSITIVE_INFINITY;
    sayWhetherHearing();
    const ping = notifications.ping();
    const beganAt = clock();
    const isRenewing = beganAt - renewedAt >= RENEW_MILLISECONDS;
    const { rows } = await db.execute<Beat>(sql`
      ${isRenewing ? renewal(process) : sql.empty()}
      SELECT
        ${ping ? sql`pg_notify(${ping.channel}, ${ping.payload})` : sql`NULL`},
        ${onDue ? DUE_JOBS : sql`NULL AS due, NULL AS next_seconds`},
        ${STATE} AS state`);
    ping?.sent();
    if (isRenewing) renewedAt = beganAt;
    const [found] = rows;
    if (!found) return;
    if (found.state !== lastState) onChange();
    lastState = found.state;
    if (found.next_seconds !== null)
      nextJobMilliseconds = Math.max(LEAST_PAUSE_MILLISECONDS, found.next_seconds * 1000);
    if (found.due === null || found.due.length > 0) onDue?.(found.due);
  }

  /** Once, and again when it is over. */
  function sayWhetherHearing(): void {
    if (notifications.isHearing()) {
      if (isDeafnessSaid) log.info("notifications of PostgreSQL arrive again");
      deafSince = null;
      isDeafnessSaid = false;
      return;
    }
    deafSince ??= performance.now();
    if (isDeafnessSaid || performance.now() - deafSince < PATIENCE_MILLISECONDS) return;
    isDeafnessSaid = true;
    log.warn(
      "no notifications of PostgreSQL arrive, as through a pooler in transaction mode: asking every second instead",
    );
  }

  return {
    /** Resolves after the first answer. */
    start: loop.start,
    /** Asks now, or soon if it has just been asked. */
    look,
    async stop() {
      for (const end of unlisten) end();
      await loop.stop();
    },
  };
}

/** Which kinds are due, and in how many seconds the next job will be. */
const DUE_JOBS = sql`
  (SELECT CASE WHEN count(*) < ${MAX_DUE_JOBS}::int THEN coalesce(array_agg(DISTINCT kind), '{}') END FROM (
    SELECT kind FROM outbox WHERE done_at IS NULL AND run_at <= now() ORDER BY run_at LIMIT ${MAX_DUE_JOBS}::int
  ) AS waiting) AS due,
  (SELECT extract(epoch FROM min(run_at) - now())::float8 FROM outbox
    WHERE done_at IS NULL AND run_at > now()) AS next_seconds`;

/** Differs when anything in these tables does; they have some dozens of rows. */
const STATE = sql.raw(
  ["features", "products", "prices"]
    .map(
      (table) =>
        `coalesce((SELECT md5(string_agg(row::text, ',' ORDER BY row::text)) FROM ${table} AS row), '')`,
    )
    .join(" || "),
);

/** A function that does the work at once, and when it is called again too soon, once more after the pause. */
export function atMostEvery(milliseconds: number, work: () => void): () => void {
  let isPausing = false;
  let isWanted = false;

  function ask(): void {
    if (isPausing) {
      isWanted = true;
      return;
    }
    isPausing = true;
    setTimeout(() => {
      isPausing = false;
      if (!isWanted) return;
      isWanted = false;
      ask();
    }, milliseconds).unref();
    work();
  }

  return ask;
}
