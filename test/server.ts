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
  /** Where the Stripe sandbox takes what the SDK sends with its own options, http://127.0.0.1:3001; empty without one. */
  stripeOrigin: string;
  /** The database the server uses, as the owner of its tables: to look at and to prepare. */
  pool: Pool;
  child: ChildProcess;
  /** Ends it. @throws when it leaves data behind that is not sound */
  stop(): Promise<void>;
}

/** What a process runs: the build, and this copy of the sources, where nothing else is said. */
interface Program {
  folder?: string;
  /** `npm run dev`: the sources themselves. */
  isDev?: boolean;
}

/** The whole product as it ships, in a process of its own, on its own port and its own fresh database. */
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
  return {
    ...addresses,
    pool,
    child,
    stop: () => endServers([child], { pool, database, dataDir }),
  };
}

/** Ends servers and removes what they used. @throws when they leave data behind that is not sound */
export async function endServers(
  children: readonly ChildProcess[],
  {
    pool,
    database,
    dataDir,
  }: { pool: Pool; database: Awaited<ReturnType<typeof createMigratedDatabase>>; dataDir: string },
): Promise<void> {
  const violations = await findViolations(pool);
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  await endPool(pool);
  await database.drop();
  rmSync(dataDir, { recursive: true, force: true });
  if (violations.length > 0) throw new Error(`the data is not sound: ${JSON.stringify(violations)}`);
}

/** Starts the build and resolves when it says it is ready. @throws with what it printed when it ends instead */
export async function spawnServer(
  env: Record<string, string>,
  program: Program = {},
): Promise<{ child: ChildProcess; origin: string; port: string; stripeOrigin: string }> {
  const port = env.PORT ?? String(await freePort());
  const settings = {
    AUTH_SECRET,
    LOG_LEVEL: "warn",
    // The only address of which freePort knows that it is free.
    HOST: "127.0.0.1",
    // So that a test can be many clients: see http.ts.
    TRUSTED_PROXIES: "loopback",
    // A thousand requests at once on a busy machine are slow, and most tests are about what they are answered.
    DATABASE_TIMEOUT_SECONDS: "30",
    // As in production: tests are about what limits say.
    LIMITS_TIMES: "1",
    // A hash as hard as in production takes a third of a second: tests of passwords.server.ts and benchmarks wait for it.
    ...(process.env.HAS_QUICK_HASHES && env.NODE_ENV !== "production" && { SCRYPT_LN: String(TEST_LN) }),
    // Nobody waits for the three seconds in which production takes requests after a signal.
    DRAIN_SECONDS: "0",
    // The default, the next one, may just have been found free for another server.
    SANDBOX_STRIPE_PORT: "0",
    ...env,
    PORT: port,
  };
  const child = startProcess(settings, program);
  const addresses = await untilReady(child);
  if (process.env.SERVER_LOG) child.stdout.pipe(process.stdout);
  return { child, port, ...addresses };
}

/** @returns where it says that it is ready. @throws with what it printed when it ends instead */
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
    child.once("exit", (code) => reject(new Error(`server.ts ended with ${code}:\n${printed}`)));
  });
}

/**
 * The program with these settings and no others (in a database, it works as the site's role), in a process that ends with this one: whether a test fails, is
 * interrupted or killed, its end of the pipe closes, and what holds the other end ends too.
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
