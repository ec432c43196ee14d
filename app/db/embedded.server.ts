import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import {
  initialiseOnce,
  isFree,
  startCluster,
  stopCluster,
  urlOf,
  writtenPort,
} from "./embedded-cluster.server.ts";
import { findHome, type PostgresHome } from "./embedded-home.server.ts";

export { freePort } from "./embedded-cluster.server.ts";

/** Every process that uses the cluster holds this lock shared; whoever can take it alone is the last one. */
const IN_USE_LOCK = 7_130_002;
const START_ATTEMPTS = 20;
/** How long to wait before a person is told, in milliseconds. */
const NOTICE_MILLISECONDS = 5_000;

export interface EmbeddedPostgres {
  url: string;
  /** Stops the cluster, unless another process still uses it. */
  release(): Promise<void>;
}

/**
 * A real PostgreSQL with its data in `dataDir`: started if it is not running, adopted if it is (a process
 * ended by SIGKILL leaves it behind; PostgreSQL itself recovers from a machine that lost power). Should its server be
 * ended while we use it, it is started again in the same place.
 *
 * @param log receives the lines a person should see, such as where the data is when it cannot be in `dataDir`
 */
export async function openEmbeddedPostgres(
  dataDir: string,
  log: (line: string) => void,
): Promise<EmbeddedPostgres> {
  const home = await findHome(dataDir, log);
  await initialiseOnce(home);

  const notice = setTimeout(() => log(`waiting for the database in ${home.folder}…`), NOTICE_MILLISECONDS);
  try {
    for (let attempt = 1; ; attempt++) {
      const port = await runningPort(home, attempt);
      const lease = port && (await holdLease(home, port, log));
      if (lease) return { url: urlOf(home, port), release: () => release(home, lease) };
      // Another process is just starting or stopping the cluster: look again.
      if (attempt === START_ATTEMPTS) throw new Error(`PostgreSQL does not answer; see ${home.logFile}`);
      await sleep(250);
    }
  } finally {
    clearTimeout(notice);
  }
}

/**
 * Where the cluster answers. On every other look the port in postmaster.pid is believed; in between PostgreSQL itself
 * decides whether the file is stale, since after a power cut its process number may be somebody else's.
 */
async function runningPort(home: PostgresHome, attempt: number): Promise<number | null> {
  const written = attempt % 2 === 1 ? writtenPort(home) : null;
  return (
    written ??
    (await startCluster(home).catch((error) => (attempt === START_ATTEMPTS ? Promise.reject(error) : null)))
  );
}

interface Lease {
  /** Whether no other process holds one, now that this one is given up. The answer holds until `end`. */
  giveUp(): Promise<boolean>;
  end(): Promise<void>;
}

/**
 * A lease that is taken again whenever its connection is lost, from a cluster that is started again when it is gone.
 *
 * @returns `null` when the cluster does not answer
 */
async function holdLease(
  home: PostgresHome,
  port: number,
  log: (line: string) => void,
): Promise<Lease | null> {
  const url = urlOf(home, port);
  let isGivenUp = false;
  let takingAgain: Promise<void> | undefined;
  let client = await takeLock(url);
  if (!client) return null;
  watch(client);

  function watch(held: Client): void {
    held.once("end", () => {
      takingAgain = takeAgain();
    });
  }

  async function takeAgain(): Promise<void> {
    while (!isGivenUp) {
      const again = (await takeLock(url)) ?? (await startAgain());
      if (again) {
        client = again;
        return watch(again);
      }
      await sleep(1_000);
    }
  }

  /** Of several processes that see their database gone one starts it, and the others find it where it was. */
  async function startAgain(): Promise<Client | null> {
    if (isGivenUp || !(await isFree(port))) return null;
    try {
      await startCluster(home);
      log("the database's server had ended; it has been started again");
    } catch {
      // Another process is just starting it, or what is left of the old one is still ending: look again.
    }
    return takeLock(url);
  }

  return {
    async giveUp() {
      isGivenUp = true;
      await takingAgain;
      return isLast(client).catch(async () => {
        // Its connection has been cut and not yet been missed.
        client = await takeLock(url);
        return isLast(client);
      });
    },
    async end() {
      await client?.end().catch(() => {});
    },
  };
}

/** Gives up the shared lock. @returns whether nobody else has it, in which case this connection now has it alone */
async function isLast(client: Client | null): Promise<boolean> {
  await client?.query("SELECT pg_advisory_unlock_shared($1)", [IN_USE_LOCK]);
  const answer = await client?.query("SELECT pg_try_advisory_lock($1) AS is_last", [IN_USE_LOCK]);
  return answer?.rows[0].is_last === true;
}

async function takeLock(url: string): Promise<Client | null> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 10_000 });
  // Its loss is seen by the "end" that follows.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT pg_advisory_lock_shared($1)", [IN_USE_LOCK]);
    return client;
  } catch {
    // What it still may be asked must not be answered to nobody.
    void client.end();
    return null;
  }
}

async function release(home: PostgresHome, lease: Lease): Promise<void> {
  try {
    // The lock is kept until the cluster is down, so that a process arriving now waits instead of joining it.
    if (await lease.giveUp()) await stopCluster(home);
  } catch {
    // It is gone already, which is what we wanted.
  } finally {
    await lease.end();
  }
}
