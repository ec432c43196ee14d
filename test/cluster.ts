import { spawn } from "node:child_process";
import { once } from "node:events";
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Linux keeps the files below this folder in memory. */
const MEMORY = "/dev/shm";
/** A run needs less than a third of it. */
const ENOUGH_MEMORY_BYTES = 3e9;

/**
 * The folder for databases of tests: in memory where there is enough of it, because creating the thousand files of a database
 * takes twenty times as long on a disk.
 */
export function databaseFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_MEMORY_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * One real PostgreSQL for a whole run, in a folder that is gone afterwards. Its URL is left in
 * TEST_DATABASE_URL; every test file makes its own database in it.
 *
 * A process of its own keeps it, out of reach of a Ctrl-C, and ends it when this one is gone, whatever ended it. If there is one
 * already, it is used and not ended: mutate.ts runs the tests many times.
 *
 * @returns what ends it
 */
export default async function startCluster(): Promise<() => Promise<void>> {
  if (process.env.TEST_DATABASE_URL) return async () => {};
  const keeper = spawn(process.execPath, [join(import.meta.dirname, "cluster-keeper.ts")], {
    detached: true,
    env: { ...process.env, TMPDIR: databaseFolder() },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(keeper, "exit");
  const url = await Promise.race([
    once(keeper.stdout, "data").then(String),
    ended.then(([code]) => Promise.reject(new Error(`the tests' database ended with ${code}`))),
  ]);
  process.env.TEST_DATABASE_URL = url.trim();
  return async () => {
    delete process.env.TEST_DATABASE_URL;
    keeper.stdin.end();
    await ended;
  };
}
