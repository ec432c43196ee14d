import { setTimeout as sleep } from "node:timers/promises";
import { createDatabase, databaseSettings } from "../database.ts";
import { AUTH_SECRET, spawnServer } from "../server.ts";
import { openWire } from "../wire.ts";

/** Statements of a process that nobody asks for anything, in a second, including its sweeps. */
const MOST_STATEMENTS = { web: 0.3, worker: 1.2, all: 1.2 } as const;

/**
 * Starts one process of each role, lets it come to rest, and counts what it asks the database.
 *
 * @param size in seconds
 * @returns what was more than it should be
 */
export async function idle(size: number): Promise<string[]> {
  const differences: string[] = [];
  for (const [role, most] of Object.entries(MOST_STATEMENTS)) {
    const database = await createDatabase();
    const wire = await openWire(database.url);
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
    await sleep(10_000);
    wire.countStatements();
    await sleep(size * 1000);
    const rate = wire.countStatements() / size;
    console.log(`${role}: ${rate.toFixed(2)} statements a second`);
    if (rate > most) differences.push(`${role}: ${rate.toFixed(2)} statements a second, more than ${most}`);
    child.kill("SIGTERM");
    await new Promise((resolve) => child.once("exit", resolve));
    await wire.close();
    await database.drop();
  }
  return differences;
}
