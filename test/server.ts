import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { Pool } from "pg";
import { endPool } from "../app/db/client.server.ts";
import { freePort } from "../app/db/embedded.server.ts";
import { findViolations } from "../app/db/invariants.server.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { createMigratedDatabase, databaseSettings } from "./database.ts";
import { TEST_LN } from "./password-cost.ts";

export const AUTH_SECRET = "a secret of at least thirty-two characters";

export interface TestServer {
  origin: string;
  port: string;
  /** Where the Stripe sandbox serves the API for the SDK, http://127.0.0.1:3001; empty without one. */
  stripeOrigin: string;
  /** The server's database, as the owner of its tables: to inspect and prepare. */
  pool: Pool;
  child: ChildProcess;
  /** Stops the server. @throws when it leaves unsound data behind */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The program a process runs; by default the build of this copy of the sources. */
export interface Program {
  folder?: string;
  /** `npm run dev`: runs the sources. */
  isDev?: boolean;
}

/** Starts the product as it ships, in its own process, on its own port and fresh database. */
export async function startServer(
  env: Record<string, string> = {},
  program: Program = {},
): Promise<TestServer> {
  const database = await createMigratedDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), "test-data-"));
  const settings = { DATABASE_URL: database.url, DATA_DIR: dataDir, ...env };
  const { child, ...addresses } = await spawnServer(settings, program);
  const pool = new Pool({ connectionString: database.url, max: 5 });
  // Some tests cut every connection on purpose.
  pool.on("error", () => {});
  const stop = () => endServers([child], { pool, database, dataDir });
  return { ...addresses, pool, child, stop, [Symbol.asyncDispose]: stop };
}

/** Sends a signal to a process, unless it has ended, and waits until it has. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill(signal);
  await once(child, "exit");
}

/** Stops servers and removes what they used. @throws when they leave unsound data behind */
export async function endServers(
  children: readonly ChildProcess[],
  {
    pool,
    database,
    dataDir,
  }: { pool: Pool; database: Awaited<ReturnType<typeof createMigratedDatabase>>; dataDir: string },
): Promise<void> {
  const violations = await findViolations(pool);
  for (const child of children) await endProcess(child);
  await endPool(pool);
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
  if (violations.length > 0) throw new Error(`the data is not sound: ${JSON.stringify(violations)}`);
}

/** Starts the build and resolves when it is ready. @throws with its output when it exits instead */
export async function spawnServer(
  env: Record<string, string>,
  program: Program = {},
): Promise<{ child: ChildProcess; origin: string; port: string; stripeOrigin: string }> {
  const port = env.PORT ?? String(await freePort());
  const settings = {
    AUTH_SECRET,
    LOG_LEVEL: "warn",
    // The only address for which freePort has checked the port.
    HOST: "127.0.0.1",
    // Lets a test act as many clients: see http.ts.
    TRUSTED_PROXIES: "loopback",
    // A thousand concurrent requests are slow on a busy machine, and most tests are not about time.
    DATABASE_TIMEOUT_SECONDS: "30",
    // As in production: tests check the real limits.
    LIMITS_TIMES: "1",
    // A production hash takes a third of a second. Only the tests of passwords.server.ts and benchmarks need it.
    ...(process.env.HAS_QUICK_HASHES && env.NODE_ENV !== "production" && { SCRYPT_LN: String(TEST_LN) }),
    // Skips the three seconds for which production accepts requests after a signal.
    DRAIN_SECONDS: "0",
    // Not the default, the next port: it may just have been found free for another server.
    SANDBOX_STRIPE_PORT: "0",
    ...env,
    PORT: port,
  };
  const child = startProcess(settings, program);
  const addresses = await untilReady(child);
  if (process.env.SERVER_LOG) child.stdout.pipe(process.stdout);
  return { child, port, ...addresses };
}

/** @returns the origins it prints once it is ready. @throws with its output when it exits instead */
export function untilReady(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
): Promise<{ origin: string; stripeOrigin: string }> {
  let printed = "";
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      printed += chunk;
      const origin = /^ready (?:to work )?on (\S+)$/m.exec(printed)?.[1];
      const stripeOrigin = /^Stripe sandbox for the SDK on (\S+)$/m.exec(printed)?.[1] ?? "";
      if (origin) resolve({ origin, stripeOrigin });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`the site ended with ${code}:\n${printed}`)));
  });
}

/**
 * Starts the program with these settings and no others (with a database, as the site's role). The child exits with this process:
 * when a test fails, is interrupted or killed, the pipe closes, and the child ends at that.
 */
export function startProcess(
  env: Record<string, string>,
  { folder = join(import.meta.dirname, ".."), isDev = false }: Program = {},
): ChildProcessByStdio<Writable, Readable, Readable> {
  return spawn(
    process.execPath,
    ["--import=./test/end-with-parent.ts", ...(isDev ? ["server.ts", "--dev"] : ["build/server/index.js"])],
    {
      cwd: folder,
      env: {
        ...COMPILE_CACHE,
        PATH: process.env.PATH,
        ...env,
        ...(env.DATABASE_URL && !env.DATABASE_OWNER_URL && databaseSettings(env.DATABASE_URL)),
      },
      stdio: "pipe",
    },
  );
}
