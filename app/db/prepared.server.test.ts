import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { connect, endPool } from "./client.server.ts";
import { prepareStatement } from "./prepared.server.ts";
import { isLostName } from "./statement-names.server.ts";

const askForOne = prepareStatement<{ one: number }>("test_one", () => sql`SELECT 1 AS one`);

test("a transaction whose prepared statement a pooler has lost fails once, and is done again without", async () => {
  const database = await openDatabase();
  const { db, pool } = connect(database.url, 1, () => {});
  const count = (isLost: boolean) =>
    db.transaction(async (tx) => {
      if (isLost) await tx.execute(sql`DEALLOCATE ALL`);
      return askForOne(tx, {});
    });
  expect(await count(false)).toEqual([{ one: 1 }]);
  expect(isLostName(await count(true).catch((error: unknown) => error))).toBe(true);
  expect(await count(true)).toEqual([{ one: 1 }]);
  await endPool(pool);
  await database.close();
});
