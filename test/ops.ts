import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { createCommands } from "./command.ts";
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
  const run = createCommands();
  const dataDir = mkdtempSync(join(tmpdir(), "ops-"));
  beforeAll(async () => {
    Object.assign(database, await openDatabase());
    await prepare(database);
  });
  afterAll(async () => {
    await database.close();
    rmSync(dataDir, { recursive: true });
  });

  async function opsWith(env: Record<string, string>, ...args: string[]) {
    const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir, ...env };
    const { code, stdout, stderr } = await run("bin/ops.ts", [...prefix, ...args], settings);
    return { code, printed: stdout + stderr };
  }

  return { database, opsWith, ops: (...args: string[]) => opsWith({}, ...args) };
}
