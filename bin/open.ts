import { existsSync } from "node:fs";
import { type Config, ConfigError, readConfig } from "../app/config/config.server.ts";
import { checkDatabaseMode } from "../app/database-mode.server.ts";
import { connect, type DatabaseConnection, endPool } from "../app/db/client.server.ts";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { findHome } from "../app/db/embedded-home.server.ts";
import { findMigrationState } from "../app/db/migration-state.server.ts";
import { explainStartError } from "../app/start-errors.server.ts";

/** Why a command does not run, in words for whoever gave it. */
class Refusal extends Error {}

/**
 * The database this clone's server uses, for the length of one command, and given back afterwards. It is neither made
 * nor migrated: that is the server's to do. What cannot be is said in a line, and ends the command with 1.
 */
export async function withDatabase(
  run: (connection: DatabaseConnection, config: Config) => Promise<void>,
): Promise<void> {
  const config = readOrExit();
  try {
    const embedded = config.databaseUrl ? null : await openKnownDatabase(config);
    try {
      await runWith(config, config.databaseUrl ?? embedded?.url ?? "", run);
    } finally {
      await embedded?.release();
    }
  } catch (error) {
    const isSaid = error instanceof Refusal || error instanceof ConfigError;
    const reason = isSaid ? error.message : explainStartError(error, config);
    if (!reason) throw error;
    console.error(reason);
    process.exitCode = 1;
  }
}

async function runWith(config: Config, url: string, run: Parameters<typeof withDatabase>[0]): Promise<void> {
  const connection = connect(url, 2, () => {});
  try {
    const state = await findMigrationState(connection.pool);
    if (state === "older")
      throw new Refusal("the database is older than this code. Start the site once: it brings it up to date");
    if (state === "newer")
      throw new Refusal("the database is newer than this code. Use the code that the site runs on");
    await checkDatabaseMode(connection.pool, config.payments);
    await run(connection, config);
  } finally {
    await endPool(connection.pool);
  }
}

/** The embedded database of this folder, started when nothing runs on it. @throws Refusal when there is none */
async function openKnownDatabase({ dataDir }: Config) {
  const isKnown = existsSync(dataDir) && existsSync((await findHome(dataDir, () => {})).cluster);
  if (isKnown) return openEmbeddedPostgres(dataDir, console.error);
  throw new Refusal(
    `no database of this folder is running or known (${dataDir}). Start the site first, or set DATABASE_URL, ` +
      "or DATA_DIR as the site has it",
  );
}

function readOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`Mend these settings (see .env.example):\n${error.message}`);
    process.exit(1);
  }
}
