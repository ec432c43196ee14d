import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { eventually } from "../../test/http.ts";
import { openOutbox } from "./worker.fixture.ts";

let outbox: Awaited<ReturnType<typeof openOutbox>>;

beforeAll(async () => {
  outbox = await openOutbox();
});

beforeEach(() => outbox.pool.query("DELETE FROM outbox"));

afterAll(() => outbox.close());

const attemptsOfFirst = async () => (await outbox.jobs())[0]?.attempts;

test("every job is done once, by whichever of several workers comes first", async () => {
  const names = Array.from({ length: 60 }, (_, index) => `cus_${index}`);
  for (const name of names) await outbox.enqueueFor(name);
  const done: string[] = [];
  const workers = Array.from({ length: 6 }, () => outbox.workerDoing(async (name) => void done.push(name)));
  await Promise.all(workers.map((worker) => worker.drain()));
  expect(done.toSorted()).toEqual(names.toSorted());
  expect((await outbox.jobs()).every((job) => job.done)).toBe(true);
});

test("a job whose process died in the middle is done by another", async () => {
  await outbox.enqueueFor("cus_left");
  const dies = outbox.workerDoing(() => new Promise(() => {}));
  void dies.drain();
  await eventually(async () => (await outbox.jobs())[0]?.attempts === 1, "it is tried");
  const done: string[] = [];
  const next = outbox.workerDoing(async (name) => void done.push(name));
  await next.drain();
  expect(done).toEqual([]);
  await outbox.hurry();
  await next.drain();
  expect(done).toEqual(["cus_left"]);
});

test("of a job whose process died and the one that waits behind it, the first is taken, and then the other", async () => {
  await outbox.enqueueFor("cus_1");
  void outbox.workerDoing(() => new Promise(() => {})).drain();
  await eventually(async () => (await attemptsOfFirst()) === 1, "it is tried");
  await outbox.enqueueFor("cus_1");
  await outbox.hurry();
  let [running, most] = [0, 0];
  const worker = outbox.workerDoing(async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
  }, 5);
  await worker.drain();
  expect(most).toBe(1);
  expect(await outbox.jobs()).toMatchObject([
    { attempts: 2, done: true },
    { attempts: 1, done: true },
  ]);
});

test("a claim is kept as long as its work goes on, and ends within 30 seconds of its process", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    await outbox.enqueueFor("cus_1");
    const mayEnd = Promise.withResolvers<void>();
    const worker = outbox.workerDoing(() => mayEnd.promise);
    const drained = worker.drain();
    await eventually(async () => (await attemptsOfFirst()) === 1, "it is tried once");
    expect((await outbox.jobs())[0].wait).toBeLessThan(30);
    await outbox.pool.query("UPDATE outbox SET run_at = now() + interval '1 second'");
    vi.advanceTimersByTime(10_000);
    await eventually(async () => (await outbox.jobs())[0].wait > 15, "its claim is renewed");
    mayEnd.resolve();
    await drained;
    expect(await outbox.jobs()).toMatchObject([{ attempts: 1, done: true }]);
  } finally {
    vi.useRealTimers();
  }
});

test("of a job that is done nothing is kept of what it was about", async () => {
  await outbox.enqueueFor("cus_1");
  await outbox.workerDoing(async () => {}).drain();
  const { rows } = await outbox.pool.query("SELECT payload, dedupe_key, event_ids, last_error FROM outbox");
  expect(rows).toEqual([{ payload: {}, dedupe_key: null, event_ids: [], last_error: null }]);
});

test("who lost a claim neither ends the job nor puts it back: its new owner may know more", async () => {
  await outbox.enqueueFor("cus_1");
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = outbox.workerDoing(() => first.promise).drain();
  await eventually(async () => (await attemptsOfFirst()) === 1, "it is tried once");
  await outbox.hurry();
  const next = outbox.workerDoing(() => second.promise).drain();
  await eventually(async () => (await attemptsOfFirst()) === 2, "it is tried again");
  first.resolve();
  await slow;
  expect(await outbox.jobs()).toMatchObject([{ done: false, attempts: 2 }]);
  second.reject(new Error("Stripe is away"));
  await next;
  expect(await outbox.jobs()).toMatchObject([{ done: false, last_error: "Error: Stripe is away" }]);
});
