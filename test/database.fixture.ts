import { afterAll, beforeAll, expect } from "vitest";
import { findViolations } from "../app/db/invariants.server.ts";
import { openDatabase } from "./database.ts";

type TestDatabase = Awaited<ReturnType<typeof openDatabase>>;

/**
 * A database for the tests of a file, opened before the first of them. After the last its data must be sound.
 *
 * @param fill inserts what all tests need
 * @returns an object filled before the tests
 */
export function sharedDatabase(fill?: (database: TestDatabase) => Promise<unknown>): TestDatabase {
  const database = {} as TestDatabase;
  beforeAll(async () => {
    Object.assign(database, await openDatabase());
    await fill?.(database);
  });
  afterAll(async () => {
    expect(await findViolations(database.pool)).toEqual([]);
    await database.close();
  });
  return database;
}
