import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { createDatabase, databaseSettings } from "../database.ts";
import { eventually } from "../http.ts";
import { AUTH_SECRET, endProcess, spawnServer } from "../server.ts";
import { openWire } from "../wire.ts";

/** Maximum statements per second. Each of the five workers polls every five seconds, each sweep twice a minute or less. */
const MOST_STATEMENTS = { web: 0.6, all: 2 } as const;

/**
 * Starts one process of each role, waits until it is idle, and counts its statements to the database without any requests.
 *
 * @param size in seconds; at least 300 for a round of every sweep
 * @returns a line for each excess
 */
export async function idle(size: number): Promise<string[]> {
  const differences: string[] = [];
  for (const [role, most] of Object.entries(MOST_STATEMENTS)) {
    const database = await createDatabase();
    const wire = await openWire(database.url);
    const pool = new Pool({ connectionString: database.url, max: 1 });
    const { DATABASE_OWNER_URL, DATABASE_URL } = databaseSettings(database.url);
    const { child } = await spawnServer({
      AUTH_SECRET,
      ROLE: role,
      NODE_ENV: "production",
      PUBLIC_ORIGIN: "http://localhost:3000",
      LOG_LEVEL: "error",
      DATABASE_OWNER_URL,
      DATABASE_URL: wire.url(DATABASE_URL),
    });
    if (role !== "web") await untilCounted(pool);
    wire.countStatements();
    await sleep(size * 1000);
    const rate = wire.countStatements() / size;
    console.log(`${role}: ${rate.toFixed(2)} statements a second`);
    if (rate > most) differences.push(`${role}: ${rate.toFixed(2)} statements a second, more than ${most}`);
    await endProcess(child);
    await pool.end();
    await wire.close();
    await database.drop();
  }
  return differences;
}

/** The first count of a new database covers more than a year, which takes some time. */
async function untilCounted(pool: Pool): Promise<void> {
  const isCounted = async () =>
    (await pool.query("SELECT FROM daily_figures WHERE name = 'counted'")).rowCount;
  await eventually(isCounted, "the first figures are counted").catch(() =>
    eventually(isCounted, "the first figures are counted"),
  );
}
