import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createMigratedDatabase, databaseSettings } from "../database.ts";
import { asClient, checkoutOf, eventually } from "../http.ts";
import { TEST_LN } from "../password-cost.ts";
import { createPerson, PASSWORD, type Person } from "../users.ts";
import { openWire, type Wire } from "../wire.ts";
import { goOn, type Site, withSite } from "./site.ts";

/** The limit is five seconds; a busy machine adds to that. */
const LONGEST_MILLISECONDS = 5_500;
/** Requests in each round. The database goes away in the middle. */
const AT_ONCE = 100;
/** The time over which a round is sent. */
const SPREAD_MILLISECONDS = 400;

/** One request of each kind that queries the database several times. */
const REQUESTS: Record<string, (person: Person, origin: string) => [path: string, init?: RequestInit]> = {
  "sign-up": () => ["/register", form({ name: "Ada", email: newAddress(), password: PASSWORD })],
  "sign-in": ({ email }) => ["/login", form({ email, password: PASSWORD })],
  "forgot password": ({ email }) => ["/forgot-password", form({ email })],
  waitlist: () => ["/waitlist", form({ email: newAddress(), name: "Ada" })],
  redeem: ({ cookie }) => ["/subscription", form({ form: "promo", code: "WELCOME" }, cookie)],
  checkout: ({ cookie }, origin) => [
    "/functions/us-central1/createCheckoutSession",
    checkout(origin, cookie),
  ],
  profile: ({ cookie }) => ["/account", form({ name: "Ada" }, cookie)],
  dashboard: ({ cookie }) => ["/dashboard", { headers: { cookie } }],
  account: ({ cookie }) => ["/account", { headers: { cookie } }],
};
const newAddress = () => `${randomUUID()}@example.com`;

function form(fields: Record<string, string>, cookie?: string): RequestInit {
  return { method: "POST", headers: cookie ? { cookie } : {}, body: new URLSearchParams(fields) };
}

function checkout(origin: string, cookie: string): RequestInit {
  const data = checkoutOf({ origin });
  const headers = { cookie, "content-type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify({ data }) };
}

/** Each takes the database away and returns a function that brings it back. */
const FAULTS = {
  /** SIGSTOP for PostgreSQL and all its connections. */
  async frozen({ pool }: Site) {
    const { rows } = await pool.query("SELECT pid FROM pg_stat_activity");
    const backends = rows.map(({ pid }) => Number(pid));
    const pids = [parentOf(backends[0] ?? 0), ...backends];
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    return async () => {
      for (const pid of pids) process.kill(pid, "SIGCONT");
    };
  },
  async silent(_site: Site, wire: Wire) {
    wire.setSilent(true);
    return async () => wire.setSilent(false);
  },
  /** Locks are free for a moment in between, so that each step of a request waits again. */
  async exhausted({ pool }: Site) {
    return goOn(1, async () => {
      // A deadlock ends this statement or a request. Both are fine.
      await pool
        .query("LOCK TABLE session, rate_limits IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.4)")
        .catch(() => {});
      await sleep(20);
    });
  },
};

/**
 * Measures the longest wait for an answer, by page, when the database is frozen (SIGSTOP), silent (a proxy swallows everything)
 * or exhausted (a pool of two, and locks) during the request.
 *
 * @param size requests under way for each fault
 * @returns a line for each page that took longer than 5.5 seconds or failed with anything but 503
 */
export async function freeze(size: number): Promise<string[]> {
  const differences: string[] = [];
  for (const kind of ["frozen", "silent", "exhausted"] as const) {
    const database = await createMigratedDatabase();
    const wire = await openWire(database.url);
    const { DATABASE_URL, DATABASE_OWNER_URL } = databaseSettings(database.url);
    const env = {
      LOG_LEVEL: "silent",
      DATABASE_URL: wire.url(DATABASE_URL),
      DATABASE_OWNER_URL: wire.url(DATABASE_OWNER_URL),
      DATABASE_POOL_SIZE: kind === "exhausted" ? "2" : "20",
      DATABASE_TIMEOUT_SECONDS: "5",
      // The queue for password hashes is not what is measured.
      SCRYPT_LN: String(TEST_LN),
    };
    const run = (site: Site) => measure(site, () => FAULTS[kind](site, wire), size);
    const { waits, odd } = await withSite(1, env, run, database).finally(wire.close);
    console.log(`${kind}, ${[...waits.values()].flat().length} requests under way, longest wait in seconds:`);
    for (const [name, times] of waits) {
      const longest = Math.max(...times);
      console.log(`  ${name.padEnd(16)} ${(longest / 1000).toFixed(2)}  (${times.length})`);
      if (longest > LONGEST_MILLISECONDS) odd.push(`${name} took ${(longest / 1000).toFixed(2)} s`);
    }
    differences.push(...odd.map((line) => `${kind}: ${line}`));
  }
  return differences;
}

async function measure(
  { pool, origin }: Site,
  fault: () => Promise<() => Promise<unknown>>,
  size: number,
): Promise<{ waits: Map<string, number[]>; odd: string[] }> {
  const requests = Object.entries(REQUESTS);
  const waits = new Map<string, number[]>(requests.map(([name]) => [name, []]));
  const odd: string[] = [];
  for (let counted = 0; counted < size; ) {
    const people = await Promise.all(Array.from({ length: AT_ONCE }, () => createPerson(pool)));
    let faultAt = Number.POSITIVE_INFINITY;
    const round = people.map(async (person, index) => {
      await sleep((SPREAD_MILLISECONDS * index) / AT_ONCE);
      const [name, request] = requests[index % requests.length] ?? [];
      if (!name || !request) return;
      const [path, init] = request(person, origin);
      const sentAt = performance.now();
      const headers = { origin, ...asClient(), ...init?.headers };
      const answer = await fetch(origin + path, { ...init, redirect: "manual", headers });
      await answer.text();
      const endedAt = performance.now();
      if (answer.status >= 400 && answer.status !== 503)
        odd.push(`${name} was answered with ${answer.status}`);
      if (endedAt < faultAt) return;
      counted++;
      waits.get(name)?.push(endedAt - sentAt);
    });
    await sleep(SPREAD_MILLISECONDS / 2);
    const restore = await fault();
    faultAt = performance.now();
    await Promise.all(round);
    await restore();
    const isReady = async () => (await fetch(`${origin}/readyz`)).status === 200;
    await eventually(isReady, "the server recovers");
  }
  return { waits, odd };
}

/** The process that started another: PostgreSQL's postmaster, of one of its connections. */
function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
}
