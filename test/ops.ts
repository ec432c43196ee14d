import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { runCommand } from "./command.ts";
import { openDatabase } from "./database.ts";

type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>;

/**
 * A database for the tests of a file, and `npm run ops` on it as the operator runs it (command.ts), as the site's role.
 *
 * @param prefix the words that all its commands begin with
 * @param prepare fills the database before the first test
 */
export function setupOps(
  prefix: readonly string[],
  prepare: (database: OpenDatabase) => Promise<unknown> = async () => {},
) {
  const database = {} as OpenDatabase;
  const dataDir = mkdtempSync(join(tmpdir(), "ops-"));
  beforeAll(async () => {
    Object.assign(database, await openDatabase());
    await prepare(database);
  });
  afterAll(async () => {
    await database.close();
    rmSync(dataDir, { recursive: true });
  });

  const opsWith = (env: Record<string, string>, ...args: string[]) =>
    runCommand("bin/ops.ts", [...prefix, ...args], { DATABASE_URL: database.url, DATA_DIR: dataDir, ...env });

  return { database, opsWith, ops: (...args: string[]) => opsWith({}, ...args) };
}
