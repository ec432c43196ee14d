import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { AUTH_LIMITS } from "../auth/limits.ts";
import { readConfig } from "../config/config.server.ts";
import { connect, endPool } from "../db/client.server.ts";
import { deleteInBatches } from "../db/delete-batches.server.ts";
import { failure } from "../http/errors.ts";
import { createLog } from "../log/log.server.ts";
import { WAITLIST_LIMITS } from "../waitlist/limits.ts";
import { clientBucket } from "./client-address.ts";
import type { Limit } from "./limit.ts";
import {
  consumeLimit,
  EXPIRED_LIMITS,
  resetLimit,
  tooManyRequests,
  withLimit,
  withLimits,
} from "./rate-limit.server.ts";

const config = readConfig({ AUTH_SECRET: "x".repeat(32), LIMITS_TIMES: "1" });
/** Both windows matter: five at once are too many, and so are three every ten seconds. */
const LIMIT: Limit = {
  name: "test",
  windows: [
    { count: 3, seconds: 10 },
    { count: 5, seconds: 60 },
  ],
};

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

const take = (who: string, limit = LIMIT) => consumeLimit({ config, db: database.db }, limit, who);

/** Counts the turns a user has left by taking them all, and gives them back. */
async function countTurns(limit: Limit, who: string): Promise<number> {
  const most = limit.windows[0]?.count ?? 0;
  const taken: (() => Promise<void>)[] = [];
  for (let turn = await take(who, limit); turn.ok; turn = await take(who, limit)) taken.push(turn.refund);
  await Promise.all(taken.map((refund) => refund()));
  return most - taken.length;
}

/** Lets time pass for everything that was done so far. */
async function pass(seconds: number): Promise<void> {
  await database.pool.query(
    `UPDATE rate_limits SET expires_at = expires_at - make_interval(secs => $1),
       hits = ARRAY(SELECT hit - make_interval(secs => $1) FROM unnest(hits) AS hit ORDER BY hit)`,
    [seconds],
  );
}

test("any sequence of hits, refunds and waits: exactly what counting by hand allows", async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant("take" as const) },
    { weight: 1, arbitrary: fc.constant("give back" as const) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 25 }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
      const who = randomUUID();
      let clock = 0;
      const had: { at: number; refund: () => Promise<void> }[] = [];
      for (const step of steps) {
        if (step === "take") {
          const turn = await take(who);
          const wait = waitByHand(
            had.map(({ at }) => at),
            clock,
          );
          if (turn.ok) had.push({ at: clock, refund: turn.refund });
          const waitAfter = waitByHand(
            had.map(({ at }) => at),
            clock,
          );
          expect(turn).toEqual(
            wait === 0
              ? { ok: true, isLast: waitAfter > 0, refund: expect.any(Function) }
              : { ok: false, retryAfterSeconds: wait },
          );
        } else if (step === "give back") {
          // A turn knows itself by its time, so only those can be given back whose time was not moved.
          const first = had.findIndex(({ at }) => at === clock);
          if (first >= 0) await had.splice(first, 1)[0]?.refund();
        } else {
          clock += step;
          await pass(step);
        }
      }
    }),
    { numRuns: 40 },
  );
});

/** The rule as one would write it down: in each window fewer than `count`. @returns seconds; none when there is room */
function waitByHand(hits: number[], now: number): number {
  for (let wait = 0; ; wait++) {
    const hasRoom = LIMIT.windows.every(
      ({ count, seconds }) => hits.filter((hit) => hit > now + wait - seconds).length < count,
    );
    if (hasRoom) return wait;
  }
}

test("a hit that is refunded twice is refunded once", async () => {
  const turns = [await take("honest"), await take("honest"), await take("honest")];
  for (let time = 0; time < 2; time++) if (turns[1]?.ok) await turns[1].refund();
  expect((await take("honest")).ok).toBe(true);
  expect((await take("honest")).ok).toBe(false);
});

test("a hit after the clock was set back is counted and refunded alone", async () => {
  await database.pool.query("DELETE FROM rate_limits");
  await take("ahead");
  await database.pool.query("UPDATE rate_limits SET hits = ARRAY[now() + interval '5 seconds']");
  const turn = await take("ahead");
  if (turn.ok) await turn.refund();
  expect(await countTurns(LIMIT, "ahead")).toBe(1);
});

describe("work within a limit", () => {
  const once = { name: "once", windows: [{ count: 1, seconds: 3600 }] };
  const log = createLog("silent");
  const app = () => ({ config, db: database.db, log });
  const within = <Done>(who: string, work: () => Promise<Done>) => withLimit(app(), once, who, work);
  const breaks = () => Promise.reject(new Error("broken"));

  test("costs nothing when it throws, however often", async () => {
    for (let time = 0; time < 3; time++) await expect(within("unlucky", breaks)).rejects.toThrow("broken");
    expect(await within("unlucky", async () => "done")).toBe("done");
    expect(await within("unlucky", async () => "done")).toMatchObject({
      status: 429,
      message: expect.stringMatching(/^Wait \d+ minutes and try again$/),
      retryAfterSeconds: expect.toSatisfy((seconds) => seconds > 3540 && seconds <= 3600),
    });
  });

  test("counts when it succeeds or is refused, also by a thrown response", async () => {
    for (const [who, work] of [
      ["done", async () => ({ ok: true })],
      ["refused", async () => failure(400, "no")],
      ["sent away", () => Promise.reject(new Response(null, { status: 410 }))],
    ] as const) {
      await Promise.allSettled([within(who, work)]);
      expect(await within(who, breaks)).toMatchObject({ status: 429 });
    }
  });

  test("costs nothing when it succeeds and only failures count", async () => {
    const failures: Limit = { ...once, name: "failures", countsOnlyFailures: true };
    const attempt = (ok: boolean) =>
      withLimits(app(), [{ limit: failures, who: "honest" }], async () => ({ ok, found: "it" }));
    for (let time = 0; time < 3; time++) expect(await attempt(true)).toEqual({ ok: true, found: "it" });
    expect(await attempt(false)).toEqual({ ok: false, found: "it" });
    expect(await attempt(true)).toMatchObject({ status: 429 });
  });

  test("a hit within two limits counts in neither when one refuses it, and in both when it fails", async () => {
    const failures = (name: string, count: number): Limit => ({
      name,
      windows: [{ count, seconds: 3600 }],
      countsOnlyFailures: true,
    });
    const [own, shared] = [failures("own", 2), failures("shared", 3)];
    const both = (who: string, work: () => Promise<{ ok: boolean }>) =>
      withLimits(
        app(),
        [
          { limit: own, who },
          { limit: shared, who: "everybody" },
        ],
        work,
      );
    const fails = async () => failure(400, "no");
    const turnsOf = (who: string) => countTurns(own, who);
    expect(await both("one", async () => ({ ok: true }))).toEqual({ ok: true });
    await expect(both("one", breaks)).rejects.toThrow("broken");
    expect(await turnsOf("one")).toBe(0);
    for (const who of ["one", "one", "other"]) expect(await both(who, fails)).toMatchObject({ status: 400 });
    expect([await turnsOf("one"), await turnsOf("other")]).toEqual([2, 1]);
    // The shared limit has no room left.
    for (let time = 0; time < 3; time++) expect(await both("other", fails)).toMatchObject({ status: 429 });
    expect(await turnsOf("other")).toBe(1);
  });

  test("the outcome stays the same when its hit cannot be refunded", async () => {
    const failures: Limit = { ...once, name: "stuck", countsOnlyFailures: true };
    const away = connect(database.url, 1, () => {});
    const work = async () => {
      await endPool(away.pool);
      return { ok: true };
    };
    const limits = [{ limit: failures, who: "ada" }];
    expect(await withLimits({ config, db: away.db, log }, limits, work)).toEqual({ ok: true });
  });
});

test("limits and people do not get in each other's way, and one can be forgotten", async () => {
  for (let turn = 0; turn < 3; turn++) await take("ada");
  expect((await take("ada")).ok).toBe(false);
  expect((await take("bob")).ok).toBe(true);
  expect((await take("ada", { ...LIMIT, name: "another" })).ok).toBe(true);
  await resetLimit({ config, db: database.db }, LIMIT, "ada");
  expect((await take("ada")).ok).toBe(true);
});

test("nobody's address is kept, and what no window reaches back to is deleted", async () => {
  await database.pool.query("DELETE FROM rate_limits");
  const people = ["ada@example.com", "203.0.113.7", "2001:db8:1:2::/64"];
  for (const who of people) await take(who);
  const { rows } = await database.pool.query("SELECT key, rate_limits::text AS everything FROM rate_limits");
  expect(rows.map(({ key }) => key)).toEqual(Array(3).fill(expect.stringMatching(/^test:[\w-]{43}$/)));
  for (const who of people) expect(JSON.stringify(rows)).not.toContain(who);
  // Nor do two keys tell that they are about the same.
  await take("ada@example.com", { ...LIMIT, name: "another" });
  const hashes = await database.pool.query("SELECT DISTINCT split_part(key, ':', 2) FROM rate_limits");
  expect(hashes.rowCount).toBe(4);
  await database.pool.query("DELETE FROM rate_limits WHERE key ~ '^another:'");

  const kept = async () => (await database.pool.query("SELECT FROM rate_limits")).rowCount;
  await pass(30);
  await take("ada@example.com");
  await pass(29);
  await deleteInBatches(database.db, EXPIRED_LIMITS);
  expect(await kept()).toBe(3);
  await pass(2);
  await deleteInBatches(database.db, EXPIRED_LIMITS);
  expect(await kept()).toBe(1);
  await take("ada@example.com");
  const hits = await database.pool.query("SELECT cardinality(hits) AS kept FROM rate_limits");
  expect(hits.rows).toEqual([{ kept: 2 }]);
});

test("1,000 tries of one network at one account are ten in a quarter of an hour", async () => {
  const tryOnce = () => take("ada@example.com 203.0.113.7", AUTH_LIMITS.signInFailuresByNetwork);
  const tries = await Promise.all(Array.from({ length: 1000 }, tryOnce));
  expect(tries.filter((turn) => turn.ok)).toHaveLength(10);
  await pass(15 * 60 - 5);
  expect(await tryOnce()).toEqual({ ok: false, retryAfterSeconds: expect.any(Number) });
  await pass(5);
  expect((await tryOnce()).ok).toBe(true);
});

test("any number of addresses of one IPv6 network are one client", async () => {
  await database.pool.query("DELETE FROM rate_limits");
  const limit = WAITLIST_LIMITS.waitlistByClient;
  const buckets = Array.from({ length: 200 }, (_, host) => clientBucket(`2001:db8:1:2:${host}::7`, null, []));
  const turns = await Promise.all(buckets.map((bucket) => take(bucket, limit)));
  expect(turns.filter((turn) => turn.ok)).toHaveLength(20);
  expect((await database.pool.query("SELECT FROM rate_limits")).rowCount).toBe(1);
  expect((await take(clientBucket("2001:db8:1:3::7", null, []), limit)).ok).toBe(true);
});

test("outside production a limit is ten times wider, and says how not to wait", async () => {
  const sandbox = readConfig({ AUTH_SECRET: "x".repeat(32) });
  const app = { config: sandbox, db: database.db, log: createLog("silent") };
  const limit = { name: "wide", windows: [{ count: 2, seconds: 60 }] };
  const work = async () => ({ ok: true as const });
  for (let turn = 0; turn < 20; turn++)
    expect(await withLimit(app, limit, "ada", work)).toEqual({ ok: true });
  expect(await withLimit(app, limit, "ada", work)).toMatchObject({
    status: 429,
    message: expect.stringMatching(
      /^Wait \d+ seconds? and try again\. In this sandbox, npm run ops -- limits clear ends the wait$/,
    ),
  });
});

test.each([
  [1, "1 second"],
  [43, "43 seconds"],
  [120, "120 seconds"],
  [121, "3 minutes"],
  [300, "5 minutes"],
  [7200, "120 minutes"],
  [7201, "3 hours"],
  [86_277, "24 hours"],
])("%i seconds are %s for people, and seconds for programs", (seconds, words) => {
  expect(tooManyRequests({ config: { limitsTimes: 1 } }, seconds)).toEqual({
    ok: false,
    status: 429,
    message: `Wait ${words} and try again`,
    headers: { "Retry-After": String(seconds) },
    retryAfterSeconds: seconds,
  });
});
