import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { freePort } from "../../app/db/embedded.server.ts";
import { createMigratedDatabase, databaseSettings } from "../database.ts";
import { asClient, eventually } from "../http.ts";
import { TEST_LN } from "../password-cost.ts";
import { AUTH_SECRET, endProcess, spawnServer } from "../server.ts";
import { createPerson, PASSWORD, type Person } from "../users.ts";
import { openWire } from "../wire.ts";

/** The longest wait for an answer, whatever the database does: five seconds, and what a busy machine adds. */
const LONGEST_MILLISECONDS = 5_500;
/** Requests sent in each round. The database goes away while they are under way. */
const AT_ONCE = 100;
/** Over how long a round's requests are sent; the database goes away in the middle. */
const SPREAD_MILLISECONDS = 400;

/** Takes the database away. @returns what brings it back */
type Fault = () => Promise<() => Promise<void>>;

/** One request by each way that asks the database several things in turn. */
const REQUESTS: Record<string, (person: Person) => { path: string; body?: Record<string, string> | string }> =
  {
    "sign-up": () => ({
      path: "/register",
      body: { name: "Ada", email: `${randomUUID()}@example.com`, password: PASSWORD },
    }),
    "sign-in": ({ email }) => ({ path: "/login", body: { email, password: PASSWORD } }),
    "forgot password": ({ email }) => ({ path: "/forgot-password", body: { email } }),
    waitlist: () => ({ path: "/waitlist", body: { email: `${randomUUID()}@example.com`, name: "Ada" } }),
    redeem: () => ({ path: "/subscription", body: { form: "promo", code: "WELCOME" } }),
    checkout: () => ({
      path: "/functions/us-central1/createCheckoutSession",
      body: JSON.stringify({
        data: { price: "price_csv_banking_yearly", success_url: "/dashboard", cancel_url: "/subscription" },
      }),
    }),
    profile: () => ({ path: "/account", body: { name: "Ada" } }),
    dashboard: () => ({ path: "/dashboard" }),
    account: () => ({ path: "/account" }),
  };

/**
 * The longest wait for an answer, by page, with requests under way while the database is frozen (SIGSTOP), silent (a proxy that
 * swallows everything) or exhausted (a pool of two, and locks that come and go).
 *
 * @param size requests under way for each fault
 * @returns a line for each page that took longer than five and a half seconds, or was answered with anything but success or 503
 */
export async function freeze(size: number): Promise<string[]> {
  const differences: string[] = [];
  for (const kind of ["frozen", "silent", "exhausted"] as const) {
    const site = await openFrail(kind === "exhausted" ? "2" : "20");
    try {
      const waits = await measure(site, site.faults[kind], size);
      console.log(
        `${kind}, ${[...waits.values()].flat().length} requests under way, longest wait in seconds:`,
      );
      for (const [name, times] of waits) {
        const longest = Math.max(...times);
        console.log(`  ${name.padEnd(16)} ${(longest / 1000).toFixed(2)}  (${times.length})`);
        if (longest > LONGEST_MILLISECONDS)
          differences.push(`${kind}: ${name} took ${(longest / 1000).toFixed(2)} s`);
      }
      differences.push(...site.odd.splice(0).map((line) => `${kind}: ${line}`));
    } finally {
      await site.close();
    }
  }
  return differences;
}

async function measure(
  site: Awaited<ReturnType<typeof openFrail>>,
  fault: Fault,
  size: number,
): Promise<Map<string, number[]>> {
  const names = Object.keys(REQUESTS);
  const waits = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let counted = 0; counted < size; ) {
    const people = await Promise.all(Array.from({ length: AT_ONCE }, () => createPerson(site.pool)));
    let faultAt = Number.POSITIVE_INFINITY;
    const round = people.map(async (person, index) => {
      await sleep((SPREAD_MILLISECONDS * index) / AT_ONCE);
      const name = names[index % names.length] ?? "";
      const sentAt = performance.now();
      await site.send(name, person);
      const endedAt = performance.now();
      if (endedAt < faultAt) return;
      counted++;
      waits.get(name)?.push(endedAt - sentAt);
    });
    await sleep(SPREAD_MILLISECONDS / 2);
    const restore = await fault();
    faultAt = performance.now();
    await Promise.all(round);
    await restore();
    await eventually(site.isReady, "the server recovers");
  }
  return waits;
}

async function openFrail(poolSize: string) {
  const database = await createMigratedDatabase();
  const wire = await openWire(database.url);
  const { DATABASE_URL, DATABASE_OWNER_URL } = databaseSettings(database.url);
  const port = String(await freePort());
  const { child, origin } = await spawnServer({
    AUTH_SECRET,
    PORT: port,
    LOG_LEVEL: "silent",
    DATABASE_URL: wire.url(DATABASE_URL),
    DATABASE_OWNER_URL: wire.url(DATABASE_OWNER_URL),
    DATABASE_POOL_SIZE: poolSize,
    DATABASE_TIMEOUT_SECONDS: "5",
    // The queue for password hashes is not what is measured.
    SCRYPT_LN: String(TEST_LN),
  });
  const pool = new Pool({ connectionString: database.url, max: 5 });
  const odd: string[] = [];
  const isReady = async () => (await fetch(`${origin}/readyz`)).status === 200;

  async function send(name: string, person: Person): Promise<void> {
    const request = REQUESTS[name]?.(person);
    if (!request) throw new Error(`there is no request ${name}`);
    const { path, body } = request;
    const isJson = typeof body === "string";
    const answer = await fetch(origin + path, {
      method: body ? "POST" : "GET",
      redirect: "manual",
      headers: {
        origin,
        ...asClient(),
        ...(!["sign-up", "sign-in", "forgot password", "waitlist"].includes(name) && {
          cookie: person.cookie,
        }),
        ...(isJson && { "content-type": "application/json" }),
      },
      ...(body && {
        body: isJson ? body.replaceAll('":"/', `":"${origin}/`) : new URLSearchParams(body),
      }),
    });
    await answer.text();
    if (answer.status >= 400 && answer.status !== 503) odd.push(`${name} was answered with ${answer.status}`);
  }

  const faults: Record<"frozen" | "silent" | "exhausted", Fault> = {
    async frozen() {
      const { rows } = await pool.query("SELECT pid FROM pg_stat_activity");
      const backends = rows.map(({ pid }) => Number(pid));
      const pids = [parentOf(backends[0] ?? 0), ...backends];
      for (const pid of pids) process.kill(pid, "SIGSTOP");
      return async () => {
        for (const pid of pids) process.kill(pid, "SIGCONT");
      };
    },
    async silent() {
      wire.setSilent(true);
      return async () => wire.setSilent(false);
    },
    async exhausted() {
      let isOver = false;
      // Free for a moment in between, so that each step of a request waits anew.
      const locking = (async () => {
        while (!isOver) {
          // A deadlock with a request ends one or the other, and either may go on.
          await pool
            .query("LOCK TABLE session, rate_limits IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.4)")
            .catch(() => {});
          await sleep(20);
        }
      })();
      return async () => {
        isOver = true;
        await locking;
      };
    },
  };

  return {
    pool,
    odd,
    faults,
    send,
    isReady,
    async close() {
      await endProcess(child);
      await pool.end();
      await wire.close();
      await database.drop();
    },
  };
}

/** The process that started another: PostgreSQL's postmaster, of one of its connections. */
function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
}
