import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import {
  initializeOnce,
  isFree,
  siteUrlOf,
  startCluster,
  stopCluster,
  urlOf,
  writtenPort,
} from "./embedded-cluster.server.ts";
import { findHome, type PostgresHome } from "./embedded-home.server.ts";

export { freePort, siteUrlOf } from "./embedded-cluster.server.ts";

/** Held shared by every process that uses the cluster; one that gets it exclusively is the last. */
const IN_USE_LOCK = 7_130_002;
const START_ATTEMPTS = 20;
const NOTICE_MILLISECONDS = 5_000;

export type EmbeddedPostgres = Awaited<ReturnType<typeof openEmbeddedPostgres>>;

/** Started, adopted if it runs, as after a SIGKILL, and restarted on its port if it ends. @throws when 20 attempts got no answer */
export async function openEmbeddedPostgres(dataDir: string, log: (line: string) => void) {
  const home = await findHome(dataDir, log);
  await initializeOnce(home);
  const notice = setTimeout(() => log(`waiting for the database in ${home.folder}…`), NOTICE_MILLISECONDS);
  const found = await enter(home).finally(() => clearTimeout(notice));
  const { url } = found;
  let client: Client | null = found.client;
  let isReleased = false;
  let entering: Promise<void> | undefined;
  watch(found.client);
  return {
    url,
    /** For the site's role, once it has its rights (roles.server.ts). */
    siteUrl: siteUrlOf(url),
    release,
  };

  function watch(held: Client): void {
    held.once("end", () => {
      entering = enterAgain();
    });
  }

  async function enterAgain(): Promise<void> {
    while (!isReleased) {
      client = (await takeLock(url)) ?? (await restart());
      if (client) return watch(client);
      await sleep(1_000);
    }
  }

  /** When several processes have lost the database, one restarts it and the others find it on the same port. */
  async function restart(): Promise<Client | null> {
    if (isReleased || !(await isFree(Number(new URL(url).port)))) return null;
    try {
      await startCluster(home);
      log("the database's server had ended; it has been started again");
    } catch {
      // Another process is starting it, or the old one is still shutting down: the caller retries.
    }
    return takeLock(url);
  }

  /** Stops the cluster, unless another process still uses it. */
  async function release(): Promise<void> {
    isReleased = true;
    await entering;
    try {
      const isLast = await releaseLock(client).catch(async () => {
        // The connection was lost and its "end" has not arrived yet.
        client = await takeLock(url);
        return releaseLock(client);
      });
      // The lock is kept until the cluster is down, so that a process that starts now waits.
      if (isLast) await stopCluster(home);
    } catch {
    } finally {
      await client?.end().catch(() => {});
    }
  }
}

/** Odd attempts trust postmaster.pid's port; even ones let PostgreSQL decide whether that file is stale. */
async function enter(home: PostgresHome): Promise<{ url: string; client: Client }> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === START_ATTEMPTS;
    const written = attempt % 2 === 1 ? writtenPort(home) : null;
    const port =
      written ?? (await startCluster(home).catch((error) => (isLast ? Promise.reject(error) : null)));
    const url = port && urlOf(home, port);
    const client = url && (await takeLock(url));
    if (url && client) return { url, client };
    if (isLast) throw new Error(`PostgreSQL does not answer; see ${home.logFile}`);
    await sleep(250);
  }
}

/** @returns whether this was the last process: the connection then holds the lock exclusively */
async function releaseLock(client: Client | null): Promise<boolean> {
  if (!client) throw new Error("there is no connection");
  await client.query("SELECT pg_advisory_unlock_shared($1)", [IN_USE_LOCK]);
  const answer = await client.query("SELECT pg_try_advisory_lock($1) AS is_last", [IN_USE_LOCK]);
  return answer.rows[0].is_last === true;
}

async function takeLock(url: string): Promise<Client | null> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 10_000 });
  // A lost connection is handled on "end", which follows.
  client.on("error", () => {});
  try {
    await client.connect();
    await client.query("SELECT pg_advisory_lock_shared($1)", [IN_USE_LOCK]);
    return client;
  } catch {
    // Also cancels a lock request that is still pending.
    void client.end();
    return null;
  }
}
