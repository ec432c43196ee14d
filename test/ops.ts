import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { openDatabase } from "./database.ts";

type OpenDatabase = Awaited<ReturnType<typeof openDatabase>>;

/**
 * A database for the tests of a file, and `npm run ops` on it as the operator runs it: a process for each command, as the
 * site's role.
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

  function ops(...args: string[]): Promise<{ code: number; printed: string }> {
    const env = { ...COMPILE_CACHE, PATH: process.env.PATH, DATABASE_URL: database.url, DATA_DIR: dataDir };
    const options = { env, maxBuffer: 10_000_000 };
    return new Promise((resolve) => {
      execFile(process.execPath, ["bin/ops.ts", ...prefix, ...args], options, (error, out, err) =>
        resolve({ code: Number(error?.code ?? 0), printed: out + err }),
      );
    });
  }

  return { database, ops };
}
