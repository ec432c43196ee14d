import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { endPool } from "../app/db/client.server.ts";
import startCluster from "../test/cluster.ts";
import { createMigratedDatabase, databaseSettings } from "../test/database.ts";
import { eventually } from "../test/http.ts";
import { endProcess, spawnServer } from "../test/server.ts";
import { openWire } from "../test/wire.ts";
import { processorSecondsOf } from "./cost-process.ts";
import type { Figure } from "./figures.ts";

/** Every sweep runs once in this time. */
const SECONDS = 300;
/** Longer than the interval of every poll. */
const QUIET_SECONDS = 5;
/** The polls of workers and watched values, every five seconds, and the sweeps. */
const MOST_STATEMENTS = 2;
const MOST_PERCENT = 0.5;

/** The queries and the processor time of a process without requests. */
export async function measureIdle(): Promise<Figure[]> {
  const endCluster = await startCluster();
  try {
    // Side by side, since both are idle.
    const [web, all] = await Promise.all([rest("web"), rest("all")]);
    console.log(
      `in ${SECONDS} s of rest: ${web.statements} statements of a process that serves, ${all.statements} of one that works as well`,
    );
    return [web, all].flatMap(({ role, statements, seconds }) => [
      {
        name: `idle, ROLE=${role}: statements`,
        value: statements / SECONDS,
        unit: "a s",
        limit: { most: MOST_STATEMENTS },
      },
      {
        name: `idle, ROLE=${role}: processor`,
        value: (100 * seconds) / SECONDS,
        unit: "%",
        limit: { most: MOST_PERCENT },
      },
    ]);
  } finally {
    await endCluster();
  }
}

async function rest(role: "web" | "all") {
  const database = await createMigratedDatabase();
  const wire = await openWire(database.url);
  const pool = new Pool({ connectionString: database.url, max: 1 });
  // If the other one fails, the cluster ends first.
  pool.on("error", () => {});
  const { DATABASE_OWNER_URL, DATABASE_URL } = databaseSettings(database.url);
  const { child } = await spawnServer({
    ROLE: role,
    NODE_ENV: "production",
    PUBLIC_ORIGIN: "http://localhost:3000",
    LOG_LEVEL: "error",
    DATABASE_OWNER_URL,
    DATABASE_URL: wire.url(DATABASE_URL),
  });
  // A new database first computes more than a year of figures, which takes a while.
  const isCounted = async () =>
    role === "web" || (await pool.query("SELECT FROM daily_figures WHERE name = 'counted'")).rowCount !== 0;
  await eventually(isCounted, "the first figures are counted");
  // On a slow machine the first sweeps have started by then.
  const isQuiet = async () => {
    wire.countStatements();
    await sleep(QUIET_SECONDS * 1_000);
    return wire.countStatements() <= MOST_STATEMENTS * QUIET_SECONDS;
  };
  await eventually(isQuiet, "what a start asks for is over");
  const pid = child.pid ?? 0;
  const before = processorSecondsOf(pid);
  wire.countStatements();
  await sleep(SECONDS * 1000);
  const statements = wire.countStatements();
  const seconds = processorSecondsOf(pid) - before;
  await endProcess(child);
  await endPool(pool);
  await wire.close();
  await database.drop();
  return { role, statements, seconds };
}
