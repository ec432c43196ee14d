import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { enqueue, type Job, type JobHandlers } from "./outbox.server.ts";
import { createWorker } from "./worker.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const silent = pino({ level: "silent" });

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(() => database.pool.query("DELETE FROM outbox"));

afterAll(() => database.close());

const enqueueFor = (stripeCustomerId: string) => enqueue(database.db, "sync_customer", { stripeCustomerId });

function workerDoing(work: (stripeCustomerId: string, job: Job) => Promise<void>, concurrency = 1) {
  const handlers: Partial<JobHandlers> = {
    sync_customer: ({ stripeCustomerId }, job) => work(stripeCustomerId, job),
    update_customer: async () => {},
    delete_customer: async () => {},
    sync_catalogue: async () => {},
    send_mail: async () => {},
  };
  return createWorker(database.db, handlers, silent, concurrency);
}

async function jobs() {
  const { rows } = await database.pool.query(
    `SELECT attempts, last_error, done_at IS NOT NULL AS done, extract(epoch FROM run_at - now())::float AS wait FROM outbox ORDER BY id`,
  );
  return rows;
}

const attemptsOfFirst = async () => (await jobs())[0]?.attempts;

/** As if its time had come. */
const hurry = () => database.pool.query("UPDATE outbox SET run_at = now()");

test("every job is done once, by whichever of several workers comes first", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `cus_${index}`);
  for (const name of names) await enqueueFor(name);
  const done: string[] = [];
  const workers = Array.from({ length: 6 }, () => workerDoing(async (name) => void done.push(name)));
  await Promise.all(workers.map((worker) => worker.drain()));
  expect(done.toSorted()).toEqual(names.toSorted());
  expect((await jobs()).every((job) => job.done)).toBe(true);
});

test("a job whose process died in the middle is done by another", async () => {
  await enqueueFor("cus_left");
  const dies = workerDoing(() => new Promise(() => {}));
  void dies.drain();
  await eventually(async () => (await jobs())[0]?.attempts === 1, "it is tried");
  const done: string[] = [];
  const next = workerDoing(async (name) => void done.push(name));
  await next.drain();
  expect(done).toEqual([]);
  await hurry();
  await next.drain();
  expect(done).toEqual(["cus_left"]);
});

test("a claim is kept as long as its work goes on, and ends within 30 seconds of its process", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    await enqueueFor("cus_1");
    const mayEnd = Promise.withResolvers<void>();
    const worker = workerDoing(() => mayEnd.promise);
    const drained = worker.drain();
    await eventually(async () => (await attemptsOfFirst()) === 1, "it is tried once");
    expect((await jobs())[0].wait).toBeLessThan(30);
    await database.pool.query("UPDATE outbox SET run_at = now() + interval '1 second'");
    vi.advanceTimersByTime(10_000);
    await eventually(async () => (await jobs())[0].wait > 15, "its claim is renewed");
    mayEnd.resolve();
    await drained;
    expect(await jobs()).toMatchObject([{ attempts: 1, done: true }]);
  } finally {
    vi.useRealTimers();
  }
});

test("who lost a claim neither ends the job nor puts it back: its new owner may know more", async () => {
  await enqueueFor("cus_1");
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = workerDoing(() => first.promise).drain();
  await eventually(async () => (await attemptsOfFirst()) === 1, "it is tried once");
  await hurry();
  const next = workerDoing(() => second.promise).drain();
  await eventually(async () => (await attemptsOfFirst()) === 2, "it is tried again");
  first.resolve();
  await slow;
  expect(await jobs()).toMatchObject([{ done: false, attempts: 2 }]);
  second.reject(new Error("Stripe is away"));
  await next;
  expect(await jobs()).toMatchObject([{ done: false, last_error: "Error: Stripe is away" }]);
});
