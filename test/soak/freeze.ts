import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createMigratedDatabase, databaseSettings } from "../database.ts";
import { call, checkoutOf, eventually, postForm } from "../http.ts";
import { goOn } from "../loops.ts";
import { TEST_LN } from "../password-cost.ts";
import { openSite, type Site } from "../running-site.ts";
import { createPerson, get, PASSWORD, type Person } from "../users.ts";
import { openWire, type Wire } from "../wire.ts";

/** The limit is five seconds; a busy machine adds to that. */
const LONGEST_MILLISECONDS = 5_500;
/** Requests in each round. The database goes away in the middle. */
const AT_ONCE = 100;
/** The time over which a round is sent. */
const SPREAD_MILLISECONDS = 400;

/** One request of each kind that queries the database several times. */
const REQUESTS: [name: string, send: (site: Site, person: Person) => Promise<Response>][] = [
  ["sign-up", (site) => postForm(site, "/register", { name: "Ada", email: unused(), password: PASSWORD })],
  ["sign-in", (site, { email }) => postForm(site, "/login", { email, password: PASSWORD })],
  ["forgot password", (site, { email }) => postForm(site, "/forgot-password", { email })],
  ["waitlist", (site) => postForm(site, "/waitlist", { email: unused(), name: "Ada" })],
  [
    "redeem",
    (site, { cookie }) => postForm(site, "/subscription", { form: "promo", code: "WELCOME" }, cookie),
  ],
  ["checkout", (site, { cookie }) => call(site, checkoutOf(site), cookie)],
  ["profile", (site, { cookie }) => postForm(site, "/account", { name: "Ada" }, cookie)],
  ["dashboard", (site, { cookie }) => get(site, "/dashboard", cookie)],
  ["account", (site, { cookie }) => get(site, "/account", cookie)],
];
const unused = () => `${randomUUID()}@example.com`;

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
    const { waits, odd } = await measure(kind, size);
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
  kind: keyof typeof FAULTS,
  size: number,
): Promise<{ waits: Map<string, number[]>; odd: string[] }> {
  const database = await createMigratedDatabase();
  await using wire = await openWire(database.url);
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
  await using site = await openSite(1, env, { database });
  const waits = new Map<string, number[]>(REQUESTS.map(([name]) => [name, []]));
  const odd: string[] = [];
  for (let counted = 0; counted < size; ) {
    const people = await Promise.all(Array.from({ length: AT_ONCE }, () => createPerson(site.pool)));
    let faultAt = Number.POSITIVE_INFINITY;
    const round = people.map(async (person, index) => {
      await sleep((SPREAD_MILLISECONDS * index) / AT_ONCE);
      const [name, send] = REQUESTS[index % REQUESTS.length] ?? [];
      if (!name || !send) return;
      const sentAt = performance.now();
      const answer = await send(site, person);
      await answer.text();
      const endedAt = performance.now();
      if (answer.status >= 400 && answer.status !== 503)
        odd.push(`${name} was answered with ${answer.status}`);
      if (endedAt < faultAt) return;
      counted++;
      waits.get(name)?.push(endedAt - sentAt);
    });
    await sleep(SPREAD_MILLISECONDS / 2);
    const restore = await FAULTS[kind](site, wire);
    faultAt = performance.now();
    await Promise.all(round);
    await restore();
    const isReady = async () => (await get(site, "/readyz")).status === 200;
    await eventually(isReady, "the server recovers");
  }
  return { waits, odd };
}

/** The process that started another: PostgreSQL's postmaster, of one of its connections. */
function parentOf(pid: number): number {
  return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
}
