import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { isDatabaseAway } from "./database-away.server.ts";
import { createGatherer, type GathererOptions } from "./gather.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
  await database.pool.query("CREATE TABLE gathered (number int CHECK (number >= 0))");
  await database.pool.query("GRANT ALL ON gathered TO PUBLIC");
});

afterAll(() => database.close());

/** Long enough for whatever need not wait for anything. */
async function turn(): Promise<void> {
  for (let time = 0; time < 3; time++) await turnOfTheLoop();
}

type Batch = { items: readonly number[]; end: (error?: Error) => void };

/** A gatherer of numbers whose batches end when the test says so; each number's answer is ten times as much. */
function gatherNumbers(options: Partial<GathererOptions<number, number>> = {}) {
  const batches: Batch[] = [];
  const gather = createGatherer<number, number>({
    run(items) {
      const { promise, resolve, reject } = Promise.withResolvers<number[]>();
      const end = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => item * 10)));
      batches.push({ items, end });
      return promise;
    },
    most: 3,
    atOnce: 1,
    ...options,
  });
  return { gather, batches, seen: () => batches.map(({ items }) => items) };
}

test("the first is done at once, those that come meanwhile together, and each has its own answer", async () => {
  const { gather, batches, seen } = gatherNumbers();
  const first = gather(1);
  await turn();
  expect(seen()).toEqual([[1]]);
  const answers = [first, ...[2, 3, 4, 5].map(gather)];
  batches[0]?.end();
  expect(await answers[0]).toBe(10);
  await turn();
  expect(seen()).toEqual([[1], [2, 3, 4]]);
  batches[1]?.end();
  expect(await Promise.all(answers.slice(1, 4))).toEqual([20, 30, 40]);
  await turn();
  batches[2]?.end();
  expect(await answers[4]).toBe(50);
  void gather(6);
  await turn();
  expect(seen().at(-1), "nothing is under way any more").toEqual([6]);
});

test("those that come in the same turn of the event loop are done together", async () => {
  const { gather, batches, seen } = gatherNumbers({ atOnce: 2 });
  const answers = [1, 2, 3, 4, 5, 6, 7].map(gather);
  await turn();
  expect(seen()).toEqual([
    [1, 2, 3],
    [4, 5, 6],
  ]);
  for (const batch of batches) batch.end();
  expect(await Promise.all(answers.slice(0, 6))).toEqual([10, 20, 30, 40, 50, 60]);
  await turn();
  batches[2]?.end();
  expect(await answers[6]).toBe(70);
});

test("as many batches at once as it may have, and of each lane one", async () => {
  const { gather, batches, seen } = gatherNumbers({ atOnce: 2, laneOf: (number) => String(number % 2) });
  for (const number of [1, 2]) void gather(number);
  await turn();
  for (const number of [3, 4, 5]) void gather(number);
  expect(seen()).toEqual([[1], [2]]);
  expect([gather.isBusy("1"), gather.isBusy("2")]).toEqual([true, false]);
  batches[1]?.end();
  await turn();
  expect(seen(), "3 and 5 wait for 1").toEqual([[1], [2], [4]]);
  batches[0]?.end();
  await turn();
  expect(seen().at(-1)).toEqual([3, 5]);
});

test("what waits too long, or behind too many, fails as if the database were away, and is never begun", async () => {
  const { gather, batches, seen } = gatherNumbers({ mostWaiting: 2, patienceMilliseconds: 20 });
  const first = gather(1);
  await turn();
  const others = [2, 3, 4].map((number) => gather(number).catch(isDatabaseAway));
  expect(await Promise.all(others)).toEqual([true, true, true]);
  batches[0]?.end();
  expect(await first).toBe(10);
  await turn();
  expect(seen()).toEqual([[1]]);
});

test("a batch whose outcome is unknown is not tried again", async () => {
  const { gather, batches, seen } = gatherNumbers();
  const answers = [1, 2, 3].map((number) => gather(number).catch((error: Error) => error.message));
  await turn();
  batches[0]?.end(new Error("Connection terminated unexpectedly"));
  expect(await Promise.all(answers)).toEqual(Array(3).fill("Connection terminated unexpectedly"));
  expect(seen()).toEqual([[1, 2, 3]]);
});

test("one that only reads is, in halves", async () => {
  let runs = 0;
  const gather = createGatherer<number, number>({
    run: async (items) => {
      if (runs++ === 0) throw new Error("Connection terminated unexpectedly");
      return items;
    },
    most: 3,
    atOnce: 1,
    isReading: true,
  });
  expect(await Promise.all([1, 2, 3].map(gather))).toEqual([1, 2, 3]);
  expect(runs).toBe(3);
});

test("a batch that has an answer too few is an error for all of it, and not tried again", async () => {
  let runs = 0;
  const gather = createGatherer<number, number>({
    run: async (items) => {
      runs++;
      return items.slice(1);
    },
    most: 3,
    atOnce: 1,
  });
  await expect(gather(1)).rejects.toThrow("a batch of 1 has 0 answers");
  expect(runs).toBe(1);
});

test("an answer that takes longer keeps nobody else waiting", async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const gather = createGatherer<number, number>({
    run: async (items) => items.map((item) => (item === 1 ? promise : item)),
    most: 3,
    atOnce: 1,
  });
  const slow = gather(1);
  expect(await gather(2)).toBe(2);
  resolve(3);
  expect(await slow).toBe(3);
});

test("one bad row of a batch fails alone, in the database; the others are written once", async () => {
  const insert = (items: readonly number[]) =>
    database.db.transaction(async (tx) => {
      await tx.execute(`INSERT INTO gathered VALUES ${items.map((item) => `(${item})`).join()}`);
      return items;
    });
  const gather = createGatherer<number, number>({ run: insert, most: 100, atOnce: 1 });
  const items = Array.from({ length: 40 }, (_, number) => (number === 17 || number === 18 ? -1 : number));
  const outcomes = await Promise.allSettled(items.map(gather));
  expect(outcomes.map(({ status }) => status)).toEqual(
    items.map((item) => (item < 0 ? "rejected" : "fulfilled")),
  );
  const { rows } = await database.pool.query("SELECT number FROM gathered ORDER BY number");
  expect(rows.map(({ number }) => number)).toEqual(items.filter((item) => item >= 0));
});

test("a batch is part of the request of its first item, and what follows an answer of its own", async () => {
  const current = new AsyncLocalStorage<number>();
  const ran: unknown[] = [];
  const gather = createGatherer<number, number>({
    run: async (items) => {
      await turnOfTheLoop();
      ran.push(current.getStore());
      return items;
    },
    most: 3,
    atOnce: 1,
  });
  const ask = (number: number) => current.run(number, async () => [await gather(number), current.getStore()]);
  const first = ask(1);
  await turnOfTheLoop();
  const answers = await Promise.all([first, ...[2, 3].map(ask)]);
  expect(answers).toEqual([1, 2, 3].map((number) => [number, number]));
  expect(ran).toEqual([1, 2]);
});
