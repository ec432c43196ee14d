import { existsSync } from "node:fs";
import type { Source } from "../app/backup/backup.server.ts";
import { type Config, ConfigError, readConfig } from "../app/config/config.server.ts";
import { checkDatabaseMode } from "../app/database-mode.server.ts";
import { connect, type DatabaseConnection, endPool } from "../app/db/client.server.ts";
import { type EmbeddedPostgres, openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { findHome } from "../app/db/embedded-home.server.ts";
import { findMigrationState } from "../app/db/migration-state.server.ts";
import { explainStartError } from "../app/start-errors.server.ts";

/** Why a command cannot run, with a message for the operator. */
class CommandError extends Error {}

/**
 * Runs a command with the database of this clone's server, and closes it afterwards. Never creates or migrates it, which
 * is up to the server and to `npm run migrate`. Expected failures print one line and exit with 1.
 */
export async function withDatabase(
  run: (connection: DatabaseConnection, config: Config) => Promise<void>,
): Promise<void> {
  const config = readConfigOrExit();
  try {
    await withUrls(config, async ({ ownerUrl, siteUrl }) => {
      await checkVersion(ownerUrl);
      await runWith(config, siteUrl, run);
    });
  } catch (error) {
    const reason = explainFailure(error, config);
    if (!reason) throw error;
    console.error(reason);
    process.exitCode = 1;
  }
}

/**
 * Runs a command that must work whatever state the database is in: as the owner of the tables, of whichever version they are, and
 * also when there are none. Expected failures print one line and exit with 1.
 *
 * @param isExpected whether an error of the command's own says all that there is to say
 */
export async function withOwner(
  run: (source: Source, config: Config, release: () => Promise<void>) => Promise<void>,
  isExpected: (error: unknown) => boolean,
): Promise<void> {
  const config = readConfigOrExit();
  let embedded: EmbeddedPostgres | null = null;
  const release = async () => {
    await embedded?.release();
    embedded = null;
  };
  try {
    const home = config.database ? null : await findHome(config.dataDir, console.error);
    if (home && existsSync(home.cluster))
      embedded = await openEmbeddedPostgres(config.dataDir, console.error);
    const urls = config.database ?? { ownerUrl: embedded?.url ?? "", siteUrl: embedded?.siteUrl ?? "" };
    await run({ ...urls, home }, config, release);
  } catch (error) {
    const reason =
      error instanceof Error && (error instanceof ConfigError || isExpected(error))
        ? error.message
        : explainStartError(error, config);
    if (!reason) throw error;
    console.error(reason);
    process.exitCode = 1;
  } finally {
    await release();
  }
}

/** Runs with the addresses of this clone's database, whatever is in it. @throws CommandError when there is none */
export async function withUrls(
  config: Config,
  run: (urls: { ownerUrl: string; siteUrl: string }) => Promise<void>,
): Promise<void> {
  if (config.database) return run(config.database);
  const embedded = await openExistingDatabase(config);
  await run({ ownerUrl: embedded.url, siteUrl: embedded.siteUrl }).finally(() => embedded.release());
}

/** Why a command failed, in a line for the operator; `null` when the error itself says it best. */
export function explainFailure(error: unknown, config: Config): string | null {
  const isExpected = error instanceof CommandError || error instanceof ConfigError;
  return isExpected ? error.message : explainStartError(error, config);
}

/** As the owner of the tables: in a database that is older than the site's role, nobody else can look. */
async function checkVersion(ownerUrl: string): Promise<void> {
  const { pool } = connect(ownerUrl, 1, () => {});
  const state = await findMigrationState(pool).finally(() => endPool(pool));
  if (state === "older")
    throw new CommandError("the database is older than this code. Bring it up to date: npm run migrate");
  if (state === "newer")
    throw new CommandError("the database is newer than this code. Use the code that the site runs on");
}

/** As the site: what commands change is bound by the same rights. */
async function runWith(config: Config, url: string, run: Parameters<typeof withDatabase>[0]): Promise<void> {
  const connection = connect(url, 2, () => {});
  try {
    await checkDatabaseMode(connection.pool, config.payments);
    await run(connection, config);
  } finally {
    await endPool(connection.pool);
  }
}

/** Opens the embedded database of this folder, starting it if need be. @throws CommandError when there is none */
async function openExistingDatabase({ dataDir }: Config) {
  const hasDatabase = existsSync(dataDir) && existsSync((await findHome(dataDir, () => {})).cluster);
  if (hasDatabase) return openEmbeddedPostgres(dataDir, console.error);
  throw new CommandError(
    `no database of this folder is running or known (${dataDir}). Start the site first, or set DATABASE_URL, ` +
      "or DATA_DIR as the site has it",
  );
}

/** The settings; without them it says which are wrong, and exits with 1. */
export function readConfigOrExit(): Config {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(`Mend these settings (see .env.example):\n${error.message}`);
    process.exit(1);
  }
}
