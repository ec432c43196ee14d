import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onCluster, openDatabase } from "../../test/database.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { checkPurpose } from "./purpose.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

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
  const size = database.pool.options.max;
  const run = database.pool.connect;
  for (let time = 0; time < size + 1; time++) {
    Object.assign(database.pool, {
      async connect() {
        const client = await Reflect.apply(run, database.pool, []);
        const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
        await onCluster(`SELECT pg_terminate_backend(${rows[0].pid})`);
        return client;
      },
    });
    await expect(database.db.transaction(async () => {})).rejects.toThrow();
    Object.assign(database.pool, { connect: run });
  }
  // One that was cut may be handed out once more before the pool has heard of it; a pool without any never recovers.
  const works = () =>
    database.db
      .transaction((tx) => tx.execute(sql`SELECT 1`))
      .then(
        () => true,
        () => false,
      );
  await expect.poll(works, { timeout: 10_000 }).toBe(true);
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
    await checkPurpose(pool, mine);
    await checkPurpose(pool, mine);
    for (const other of others)
      await expect(checkPurpose(pool, other)).rejects.toThrow("this database is for");
    await close();
  }
});

test("a database with users or codes and no purpose is no playground", async () => {
  const sandbox = { mode: "sandbox", secretKey: "sk_test_sandbox", webhookSecret: "whsec_123" } as const;
  await checkPurpose(database.pool, { mode: "off", reason: "no keys" });
  await createSignedInUsers(database.pool, 1);
  await expect(checkPurpose(database.pool, sandbox)).rejects.toThrow("this database is for real users");
});
