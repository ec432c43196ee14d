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
  await database.db.transaction((tx) => tx.execute(sql`SELECT 1`));
});

test("a database of the sandbox is refused in earnest, and one with users is refused to the sandbox", async () => {
  await checkPurpose(database.pool, false);
  await checkPurpose(database.pool, true);
  await createSignedInUsers(database.pool, 1);
  await checkPurpose(database.pool, false);
  await expect(checkPurpose(database.pool, true)).rejects.toThrow("has users and no sandbox");
  await database.pool.query("CREATE SCHEMA sandbox_stripe");
  await checkPurpose(database.pool, true);
  await expect(checkPurpose(database.pool, false)).rejects.toThrow("was used with the sandbox");
});
