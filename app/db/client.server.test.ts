import { once } from "node:events";
import { type AddressInfo, createServer, connect as openSocket, type Socket } from "node:net";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { sharedDatabase } from "../../test/database.fixture.ts";
import { onCluster, openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { checkDatabaseMode } from "../database-mode.server.ts";
import { connect } from "./client.server.ts";
import { isDatabaseAway, isLockConflict } from "./database-away.server.ts";

const database = sharedDatabase();

test("a connection that is cut in the middle of a transaction costs that transaction and nothing else", async () => {
  const cut = database.db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ pid: number }>(sql`SELECT pg_backend_pid() AS pid`);
    await onCluster(`SELECT pg_terminate_backend(${rows[0]?.pid})`);
    await tx.execute(sql`SELECT 1`);
  });
  await expect(cut).rejects.toThrow();
  await database.db.transaction((tx) => tx.execute(sql`SELECT 1`));
});

test("connections whose BEGIN fails are given back", async () => {
  const { $client: pool } = database.db;
  const run = pool.connect;
  for (let time = 0; time < pool.options.max + 1; time++) {
    Object.assign(pool, {
      async connect() {
        const client = await Reflect.apply(run, pool, []);
        const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
        await onCluster(`SELECT pg_terminate_backend(${rows[0].pid})`);
        return client;
      },
    });
    await expect(database.db.transaction(async () => {})).rejects.toThrow();
    Object.assign(pool, { connect: run });
  }
  // One that was cut may be handed out once more before the pool has heard of it; a pool without any never recovers.
  const works = () =>
    database.db
      .transaction((tx) => tx.execute(sql`SELECT 1`))
      .then(
        () => true,
        () => false,
      );
  await eventually(works, "it works again");
});

test("a BEGIN that arrives after we stopped waiting takes no later write with it", async () => {
  const proxy = await openProxy(database.url);
  proxy.hold("begin");
  const slow = connect(proxy.url, 1, () => {}, 1);
  await database.pool.query("CREATE TABLE written (number int)");
  await expect(slow.db.transaction(async () => {})).rejects.toThrow();
  proxy.letGo();
  await proxy.answered;
  for (const number of [1, 2, 3]) await slow.pool.query("INSERT INTO written VALUES ($1)", [number]);
  await slow.pool.end();
  proxy.close();
  const { rows } = await database.pool.query("SELECT number FROM written ORDER BY number");
  expect(rows.map(({ number }) => number)).toEqual([1, 2, 3]);
});

test("a connection comes back when no transaction is open on it, and is closed otherwise", async () => {
  const { pool } = connect(database.url, 1, () => {});
  const pid = async () => (await pool.query("SELECT pg_backend_pid() AS pid")).rows[0].pid;
  const first = await pid();
  const idle = await pool.connect();
  await idle.query("BEGIN");
  await idle.query("ROLLBACK");
  idle.release();
  expect(await pid()).toBe(first);
  const inTransaction = await pool.connect();
  await inTransaction.query("BEGIN");
  inTransaction.release();
  expect(await pid()).not.toBe(first);
  await pool.end();
});

test("while the database is mute everybody is told so, and afterwards it works again by itself", async () => {
  const proxy = await openProxy(database.url);
  const { db, pool } = connect(proxy.url, 3, () => {}, 1);
  const ask = () => pool.query("SELECT 1");
  const write = () => db.transaction((tx) => tx.execute(sql`SELECT 1`));
  await Promise.all([ask(), ask(), ask()]);
  proxy.hold("");
  const asked = Array.from({ length: 20 }, (_, number) => (number % 2 ? ask() : write()));
  for (const outcome of await Promise.allSettled(asked))
    expect(outcome.status === "rejected" && isDatabaseAway(outcome.reason)).toBe(true);
  proxy.letGo();
  const works = () =>
    write().then(
      () => true,
      () => false,
    );
  await eventually(works, "it works again");
  await pool.end();
  proxy.close();
});

test("once a write has found a standby no connection made before is used again", async () => {
  const name = new URL(database.url).pathname.slice(1);
  const { db, pool } = connect(database.url, 3, () => {});
  const write = () => db.transaction((tx) => tx.execute(sql`DELETE FROM rate_limits`));
  // Holds for connections from now on, as it does for those to a server that has become a standby.
  await database.pool.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await Promise.all(Array.from({ length: 3 }, () => pool.query("SELECT pg_sleep(0.1)")));
  const busy = await pool.connect();
  await database.pool.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  expect(isDatabaseAway(await write().catch((error) => error))).toBe(true);
  busy.release();
  await write();
  const isReadOnly = () => pool.query("SHOW transaction_read_only").then(({ rows }) => rows[0]);
  expect(await Promise.all([isReadOnly(), isReadOnly(), isReadOnly()])).toEqual(
    Array.from({ length: 3 }, () => ({ transaction_read_only: "off" })),
  );
  await pool.end();
});

/** A pool that has a connection, of a process in which a request begins now. */
async function openForRequest(url: string, timeoutSeconds: number) {
  const patience = { startedAt: 0, isAnswered: true, lateMilliseconds: 0 };
  const listeners = { onEvent: () => {}, onQuery: () => () => {}, patience: () => patience };
  const connection = connect(url, 3, () => {}, timeoutSeconds, listeners);
  await connection.pool.query("SELECT 1");
  Object.assign(patience, { startedAt: performance.now(), isAnswered: false });
  return { patience, ...connection };
}

test("a request that the database does not answer asks nothing more, until its answer has begun", async () => {
  const proxy = await openProxy(database.url);
  const { db, pool, patience } = await openForRequest(proxy.url, 1);
  proxy.hold("");
  await expect(pool.query("SELECT 1")).rejects.toThrow("Query read timeout");
  proxy.letGo();
  const asks = [() => pool.query("SELECT 1"), () => db.transaction((tx) => tx.execute(sql`SELECT 1`))];
  for (const ask of asks) await expect(ask()).rejects.toThrow("has not answered this request in time");
  patience.isAnswered = true;
  for (const ask of asks) await ask();
  await pool.end();
  proxy.close();
});

test("past its time a request has a tenth of a timeout left for the database, in all", async () => {
  const { pool, patience } = await openForRequest(database.url, 20);
  patience.startedAt -= 60_000;
  await pool.query("SELECT 1");
  expect(patience.lateMilliseconds).toBeGreaterThan(0);
  await expect(pool.query("SELECT pg_sleep(4)")).rejects.toThrow("Query read timeout");
  await expect(pool.query("SELECT 1")).rejects.toThrow("has not answered this request in time");
  await pool.end();
});

test("past its time a request gives up on a connection, and on a transaction’s turn, before those that have time", async () => {
  const { db, pool, patience } = await openForRequest(database.url, 10);
  const transact = () => db.transaction((tx) => tx.execute(sql`SELECT 1`));
  const ask = () => pool.query("SELECT 1");
  const outcome = (work: Promise<unknown>) => work.then(() => "done", isDatabaseAway);
  const held = await Promise.all(Array.from({ length: 3 }, () => pool.connect()));
  patience.isAnswered = true;
  // Two of three connections may be in transactions: the third waits for its turn.
  const patient = [transact(), transact(), transact(), ask()].map(outcome);
  Object.assign(patience, { isAnswered: false, startedAt: performance.now() - 60_000 });
  const late = Promise.all([transact(), ask()].map(outcome));
  expect(await Promise.race([...patient, late])).toEqual([true, true]);
  for (const client of held) client.release();
  await Promise.all(patient);
  await pool.end();
});

test("what waits for a lock, for a connection or behind too many others is not kept waiting", async () => {
  const { db, pool } = connect(database.url, 2, () => {}, 1);
  await database.pool.query("CREATE TABLE locked (number int)");
  const holder = await database.pool.connect();
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE locked");
  const blocked = await db.transaction((tx) => tx.execute(sql`SELECT FROM locked`)).catch((error) => error);
  expect([isLockConflict(blocked), isDatabaseAway(blocked)]).toEqual([true, true]);
  await holder.query("ROLLBACK");
  holder.release();

  const all = await Promise.all([pool.connect(), pool.connect()]);
  const transactions = Array.from({ length: 402 }, () => db.transaction(async () => {}));
  await expect(db.transaction(async () => {})).rejects.toThrow("too many are waiting");
  const waiting = [...transactions, pool.query("SELECT 1")];
  for (const outcome of await Promise.allSettled(waiting))
    expect(outcome.status === "rejected" && isDatabaseAway(outcome.reason)).toBe(true);
  for (const client of all) client.release();
  await pool.query("SELECT 1");
  await pool.end();
});

test("transactions that wait for one row leave connections for those who read", async () => {
  const { db, pool } = connect(database.url, 5, () => {});
  await database.pool.query("CREATE TABLE wanted (number int)");
  await database.pool.query("INSERT INTO wanted VALUES (0)");
  const holder = await database.pool.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT FROM wanted FOR UPDATE");
  let done = 0;
  const add = () => db.transaction((tx) => tx.execute(sql`UPDATE wanted SET number = number + 1`));
  const adding = Promise.all(
    Array.from({ length: 20 }, async () => {
      await add();
      done++;
    }),
  );
  const blocked =
    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE wanted%'";
  await eventually(async () => (await onCluster(blocked)) === 3, "three are waiting");
  await Promise.all(Array.from({ length: 20 }, () => pool.query("SELECT FROM wanted")));
  expect(done).toBe(0);
  await holder.query("ROLLBACK");
  holder.release();
  await adding;
  expect((await pool.query("SELECT number FROM wanted")).rows).toEqual([{ number: 20 }]);
  await pool.end();
});

test("a database is for play, for Stripe's tests or for earnest, and says so to everybody else", async () => {
  const webhookSecret = "whsec_123";
  const sandbox = { mode: "sandbox", secretKey: "sk_test_sandbox", webhookSecret } as const;
  const tests = { mode: "stripe", secretKey: "sk_test_123", webhookSecret } as const;
  const live = { mode: "stripe", secretKey: "sk_live_123", webhookSecret } as const;
  const off = { mode: "off", reason: "no keys" } as const;
  for (const [mine, others] of [
    [sandbox, [tests, live, off]],
    [tests, [sandbox, live, off]],
    [live, [sandbox, tests]],
  ] as const) {
    const { pool, close } = await openDatabase();
    await checkDatabaseMode(pool, mine);
    await checkDatabaseMode(pool, mine);
    for (const other of others)
      await expect(checkDatabaseMode(pool, other)).rejects.toThrow("this database is for");
    await close();
  }
});

test("a database with users or codes and no purpose is no playground", async () => {
  const sandbox = { mode: "sandbox", secretKey: "sk_test_sandbox", webhookSecret: "whsec_123" } as const;
  await checkDatabaseMode(database.pool, { mode: "off", reason: "no keys" });
  await createSignedInUsers(database.pool, 1);
  await expect(checkDatabaseMode(database.pool, sandbox)).rejects.toThrow("this database is for real users");
});

/** A way to the database on which, from a message with a word in it on, everything lies until it is let go. */
async function openProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let word: string | null = null;
  let gate = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const server = createServer((near) => {
    const far = openSocket(Number(target.port), target.hostname);
    for (const socket of [near, far]) sockets.add(socket.on("error", () => {}));
    let sent = Promise.resolve();
    let isHeld = false;
    near.on("data", (bytes) => {
      if (word !== null && bytes.includes(word)) {
        word = "";
        isHeld = true;
        sent = sent.then(() => gate.promise);
      }
      sent = sent.then(() => void far.write(bytes));
    });
    far.on("data", (bytes) => {
      near.write(bytes);
      if (isHeld) answered.resolve();
    });
    near.on("close", () => sent.then(() => far.end()));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    /** @param from the word; everything has the empty one */
    hold(from: string): void {
      word = from;
      gate = Promise.withResolvers();
    },
    letGo(): void {
      word = null;
      gate.resolve();
    },
    /** When the database has answered something that was held. */
    answered: answered.promise,
    close(): void {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
