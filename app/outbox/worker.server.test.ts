import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { eventually } from "../../test/http.ts";
import { SYNC_CATALOGUE, SYNC_CUSTOMER } from "../billing/job-kinds.server.ts";
import { SEND_MAIL } from "../mail/enqueue-mail.server.ts";
import { enqueue, handleJob } from "./outbox.server.ts";
import { openOutbox, silent } from "./worker.fixture.ts";
import { createWorker } from "./worker.server.ts";

let outbox: Awaited<ReturnType<typeof openOutbox>>;

beforeAll(async () => {
  outbox = await openOutbox();
});

beforeEach(() => outbox.pool.query("DELETE FROM outbox"));

afterAll(() => outbox.close());

const attemptsOfFirst = async () => (await outbox.jobs())[0]?.attempts;

test("a job that fails is tried again later, each time later, and says why", async () => {
  await outbox.enqueueFor("cus_bad");
  let isBroken = true;
  const worker = outbox.workerDoing(async () => {
    if (isBroken) throw new Error("Stripe is away");
  });
  await worker.drain();
  expect(await outbox.jobs()).toMatchObject([
    { attempts: 1, done: false, last_error: "Error: Stripe is away" },
  ]);
  const [first] = await outbox.jobs();
  await outbox.hurry();
  await worker.drain();
  const [second] = await outbox.jobs();
  expect(second.wait).toBeGreaterThan(first.wait + 1);
  isBroken = false;
  await outbox.hurry();
  await worker.drain();
  expect(await outbox.jobs()).toMatchObject([{ attempts: 3, done: true, last_error: null }]);
});

test("a worker leaves alone what it has no handler for", async () => {
  await outbox.enqueueFor("cus_1");
  await enqueue(outbox.db, SEND_MAIL, { to: "ada@example.com", subject: "", text: "", html: "" });
  const sent: string[] = [];
  await createWorker({ db: outbox.db, log: silent }, [
    handleJob(SEND_MAIL, async ({ to }) => void sent.push(to)),
  ]).drain();
  expect(sent).toEqual(["ada@example.com"]);
  expect(await outbox.jobs()).toMatchObject([{ done: false, attempts: 0 }, { done: true }]);
});

test("one bad job does not hold up the others", async () => {
  await outbox.enqueueFor("cus_bad");
  await outbox.enqueueFor("cus_good");
  const done: string[] = [];
  await outbox
    .workerDoing(async (name) => {
      if (name === "cus_bad") throw new Error("no");
      done.push(name);
    })
    .drain();
  expect(done).toEqual(["cus_good"]);
});

test("stopping waits for the job under way and takes no more", async () => {
  await outbox.enqueueFor("cus_1");
  await outbox.enqueueFor("cus_2");
  const done: string[] = [];
  const [started, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const worker = outbox.workerDoing(async (name) => {
    started.resolve();
    await goOn.promise;
    done.push(name);
  });
  worker.start();
  await started.promise;
  const stopped = worker.stop().then(() => done.push("stopped"));
  goOn.resolve();
  await stopped;
  expect(done).toEqual([expect.stringMatching(/^cus_/), "stopped"]);
});

test("a job that does not end in time is given back, and another process takes it at once", async () => {
  await outbox.enqueueFor("cus_1");
  const [started, never] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ending = outbox.workerDoing(() => {
    started.resolve();
    return never.promise;
  });
  ending.start();
  await started.promise;
  await ending.stop(10);
  const done: string[] = [];
  await outbox.workerDoing(async (name) => void done.push(name)).drain();
  expect(done).toEqual(["cus_1"]);
  // Should the first end after all, it changes nothing: the job is not its own any more.
  never.resolve();
  expect(await outbox.jobs()).toMatchObject([{ attempts: 2, done: true }]);
});

test("a job exists exactly when its reason was committed", async () => {
  await outbox.db
    .transaction(async (tx) => {
      await enqueue(tx, SYNC_CATALOGUE, {});
      throw new Error("changed my mind");
    })
    .catch(() => {});
  expect(await outbox.jobs()).toEqual([]);
});

test("of one thing one job waits, however often it is asked for, and it knows every event", async () => {
  const events = Array.from({ length: 40 }, (_, index) => `evt_${index}`);
  const ask = (eventId: string) =>
    enqueue(outbox.db, SYNC_CUSTOMER, { stripeCustomerId: "cus_1" }, { eventId });
  await Promise.all([...events, ...events].map(ask));
  await outbox.enqueueFor("cus_2");
  expect(await outbox.jobs()).toHaveLength(2);
  const done: string[][] = [];
  await outbox.workerDoing(async (_name, { eventIds }) => void done.push(eventIds.toSorted())).drain();
  expect(done).toEqual([events.toSorted(), []]);
});

test("a waiting job sees a change that is merged into it, even when the transaction commits after the job is due", async () => {
  await outbox.pool.query(
    "CREATE TABLE IF NOT EXISTS wish (wanted text); TRUNCATE wish; INSERT INTO wish VALUES ('old')",
  );
  await outbox.enqueueFor("cus_1");
  const seen: string[] = [];
  const worker = outbox.workerDoing(async () => {
    const { rows } = await outbox.pool.query("SELECT wanted FROM wish");
    seen.push(rows[0].wanted);
  });
  await outbox.db.transaction(async (tx) => {
    await tx.execute("UPDATE wish SET wanted = 'new'");
    await enqueue(tx, SYNC_CUSTOMER, { stripeCustomerId: "cus_1" });
    await worker.drain();
  });
  await worker.drain();
  expect(seen.at(-1)).toBe("new");
  expect((await outbox.jobs()).every(({ done }) => done)).toBe(true);
});

test("a change while its job is running is handled after it, once, and never at the same time", async () => {
  await outbox.enqueueFor("cus_1");
  const [started, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const happened: string[] = [];
  const worker = outbox.workerDoing(async () => {
    happened.push("begins");
    started.resolve();
    await mayEnd.promise;
    happened.push("ends");
  }, 3);
  const drained = worker.drain();
  await started.promise;
  await Promise.all([outbox.enqueueFor("cus_1"), outbox.enqueueFor("cus_1"), outbox.enqueueFor("cus_1")]);
  // Another process finds nothing to do either.
  await outbox.workerDoing(async () => void happened.push("twin")).drain();
  mayEnd.resolve();
  await drained;
  expect(happened).toEqual(["begins", "ends", "begins", "ends"]);
});

test("a job that fails while another about the same thing waits leaves the work, and its events, to that one", async () => {
  const ask = (eventId: string) =>
    enqueue(outbox.db, SYNC_CUSTOMER, { stripeCustomerId: "cus_1" }, { eventId });
  await ask("evt_1");
  const failing = outbox.workerDoing(async () => {
    await ask("evt_2");
    throw new Error("Stripe is away");
  });
  // The second one meets a third, and so on: one at a time is left waiting.
  const stopping = failing.drain();
  await eventually(async () => (await outbox.jobs()).length > 2, "there are more jobs");
  await failing.stop();
  await stopping;
  expect((await outbox.jobs()).filter(({ done }) => !done)).toHaveLength(1);
  await outbox.hurry();
  const events: string[] = [];
  await outbox.workerDoing(async (_name, { eventIds }) => void events.push(...eventIds)).drain();
  expect(new Set(events)).toEqual(new Set(["evt_1", "evt_2"]));
});

test("a slow job does not hold up the others", async () => {
  await outbox.enqueueFor("cus_slow");
  const mayEnd = Promise.withResolvers<void>();
  const done: string[] = [];
  const worker = outbox.workerDoing(async (name) => {
    if (name === "cus_slow") await mayEnd.promise;
    done.push(name);
  }, 2);
  worker.start();
  await eventually(async () => (await attemptsOfFirst()) === 1, "it is tried once");
  for (const name of ["cus_1", "cus_2", "cus_3"]) await outbox.enqueueFor(name);
  worker.wake();
  await eventually(async () => done.length === 3, "all are done");
  expect(done).toEqual(["cus_1", "cus_2", "cus_3"]);
  mayEnd.resolve();
  await worker.stop();
  expect(done.at(-1)).toBe("cus_slow");
});

test("the pause between two tries is five minutes at most", async () => {
  await outbox.enqueueFor("cus_bad");
  await outbox.pool.query("UPDATE outbox SET attempts = 40");
  await outbox
    .workerDoing(async () => {
      throw new Error("Stripe is away");
    })
    .drain();
  const [{ wait }] = await outbox.jobs();
  expect(wait).toBeGreaterThan(290);
  expect(wait).toBeLessThanOrEqual(300);
});

test("of a failed query the job keeps no value", async () => {
  await outbox.enqueueFor("cus_bad");
  await outbox
    .workerDoing(async () => {
      await outbox.db.execute(sql`SELECT ${"ada@example.com secret-token"}::text, 1 / ${0}::int`);
    })
    .drain();
  expect(await outbox.jobs()).toMatchObject([{ last_error: "DatabaseError 22012: a value was not taken" }]);
});
