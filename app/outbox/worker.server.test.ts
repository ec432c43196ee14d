import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { enqueue, type JobHandlers } from "./outbox.server.ts";
import { createWorker } from "./worker.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const silent = pino({ level: "silent" });

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(() => database.pool.query("DELETE FROM outbox"));

afterAll(() => database.close());

const enqueueFor = (stripeCustomerId: string) => enqueue(database.db, "sync_customer", { stripeCustomerId });

function workerDoing(work: (stripeCustomerId: string) => Promise<void>) {
  const handlers: Partial<JobHandlers> = {
    sync_customer: ({ stripeCustomerId }) => work(stripeCustomerId),
    sync_catalogue: async () => {},
    send_mail: async () => {},
  };
  return createWorker(database.db, handlers, silent);
}

async function jobs() {
  const { rows } = await database.pool.query(
    `SELECT attempts, last_error, done_at IS NOT NULL AS done, extract(epoch FROM run_at - now())::float AS wait FROM outbox ORDER BY id`,
  );
  return rows;
}

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

test("a job that fails is tried again later, each time later, and says why", async () => {
  await enqueueFor("cus_bad");
  let isBroken = true;
  const worker = workerDoing(async () => {
    if (isBroken) throw new Error("Stripe is away");
  });
  await worker.drain();
  expect(await jobs()).toMatchObject([{ attempts: 1, done: false, last_error: "Error: Stripe is away" }]);
  const [first] = await jobs();
  await hurry();
  await worker.drain();
  const [second] = await jobs();
  expect(second.wait).toBeGreaterThan(first.wait + 1);
  isBroken = false;
  await hurry();
  await worker.drain();
  expect(await jobs()).toMatchObject([{ attempts: 3, done: true, last_error: null }]);
});

test("a job whose process died in the middle is done by another", async () => {
  await enqueueFor("cus_left");
  const dies = workerDoing(() => new Promise(() => {}));
  void dies.drain();
  await expect.poll(async () => (await jobs())[0]?.attempts).toBe(1);
  const done: string[] = [];
  const next = workerDoing(async (name) => void done.push(name));
  await next.drain();
  expect(done).toEqual([]);
  await hurry();
  await next.drain();
  expect(done).toEqual(["cus_left"]);
});

test("a worker leaves alone what it has no handler for", async () => {
  await enqueueFor("cus_1");
  await enqueue(database.db, "send_mail", { to: "ada@example.com", subject: "", text: "", html: "" });
  const sent: string[] = [];
  await createWorker(database.db, { send_mail: async ({ to }) => void sent.push(to) }, silent).drain();
  expect(sent).toEqual(["ada@example.com"]);
  expect(await jobs()).toMatchObject([{ done: false, attempts: 0 }, { done: true }]);
});

test("one bad job does not hold up the others", async () => {
  await enqueueFor("cus_bad");
  await enqueueFor("cus_good");
  const done: string[] = [];
  await workerDoing(async (name) => {
    if (name === "cus_bad") throw new Error("no");
    done.push(name);
  }).drain();
  expect(done).toEqual(["cus_good"]);
});

test("stopping waits for the job under way and takes no more", async () => {
  await enqueueFor("cus_1");
  await enqueueFor("cus_2");
  const done: string[] = [];
  const started = Promise.withResolvers<void>();
  const worker = workerDoing(async (name) => {
    started.resolve();
    await new Promise((resolve) => setTimeout(resolve, 100));
    done.push(name);
  });
  worker.start();
  await started.promise;
  await worker.stop();
  expect(done).toHaveLength(1);
});

test("a job exists exactly when its reason was committed", async () => {
  await database.db
    .transaction(async (tx) => {
      await enqueue(tx, "sync_catalogue", {});
      throw new Error("changed my mind");
    })
    .catch(() => {});
  expect(await jobs()).toEqual([]);
});
