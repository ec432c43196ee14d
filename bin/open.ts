import { existsSync } from "node:fs";
import type { Source } from "../app/backup/backup.server.ts";
import { BackupError } from "../app/backup/encryption.server.ts";
import { type Config, ConfigError, readConfig } from "../app/config/config.server.ts";
import { checkDatabaseMode } from "../app/database-mode.server.ts";
import { connect, type DatabaseConnection, endPool } from "../app/db/client.server.ts";
import { type EmbeddedPostgres, openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { findHome } from "../app/db/embedded-home.server.ts";
import { findMigrationState } from "../app/db/migration-state.server.ts";
import { explainStartError } from "../app/start-errors.server.ts";
import { type OpsAnswer, OpsError } from "./ops/command.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs a command of `npm run ops` with the database of this clone's server, as the site: its changes are bound by the same
 * rights. Never creates or migrates the database, which is up to the server and to `npm run migrate`.
 *
 * @throws OpsError with the reason, for expected failures
 */
export async function answerFrom(
  run: (connection: DatabaseConnection, config: Config) => Promise<OpsAnswer>,
): Promise<OpsAnswer> {
  const config = readConfigOrExit();
  try {
    return await withUrls(config, async ({ ownerUrl, siteUrl }) => {
      await checkVersion(ownerUrl);
      const connection = connect(siteUrl, 2, () => {});
      try {
        await checkDatabaseMode(connection.pool, config.payments);
        return await run(connection, config);
      } finally {
        await endPool(connection.pool);
      }
    });
  } catch (error) {
    const reason = error instanceof OpsError ? null : explainFailure(error, config);
    throw reason ? new OpsError(reason) : error;
  }
}

/** The arguments of a command besides the database. */
export interface OwnerContext {
  config: Config;
  /** Aborted by Ctrl+C and the like. */
  signal: AbortSignal;
  /** Lets go of the embedded database before the command has ended. */
  release(): Promise<void>;
}

/**
 * Runs a command that must work whatever state the database is in: as the owner of the tables, of whichever version they are, and
 * also when there are none. Expected failures print one line and exit with 1.
 *
 * @param interrupted what is said when a signal ended it
 */
export async function withOwner(
  run: (source: Source, context: OwnerContext) => Promise<void>,
  interrupted: string,
): Promise<void> {
  const config = readConfigOrExit();
  const controller = new AbortController();
  const { signal } = controller;
  const interrupt = () => controller.abort(new BackupError(interrupted));
  for (const name of SIGNALS) process.once(name, interrupt);
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
    await run({ ...urls, home }, { config, signal, release });
  } catch (thrown) {
    const error = signal.aborted ? signal.reason : thrown;
    const reason = error instanceof BackupError ? error.message : explainFailure(error, config);
    if (!reason) throw error;
    console.error(reason);
    process.exitCode = 1;
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt);
    await release();
  }
}

/** Runs with the addresses of this clone's database, whatever is in it. @throws OpsError when there is none */
async function withUrls<Answer>(
  config: Config,
  run: (urls: { ownerUrl: string; siteUrl: string }) => Promise<Answer>,
): Promise<Answer> {
  if (config.database) return run(config.database);
  const embedded = await openExistingDatabase(config);
  return run({ ownerUrl: embedded.url, siteUrl: embedded.siteUrl }).finally(() => embedded.release());
}

/** Why a command failed, in a line for the operator; `null` when the error's own message is best. */
function explainFailure(error: unknown, config: Config): string | null {
  const isExpected = error instanceof OpsError || error instanceof ConfigError;
  return isExpected ? error.message : explainStartError(error, config);
}

/** As the owner of the tables: the site's role may be newer than the database. */
async function checkVersion(ownerUrl: string): Promise<void> {
  const { pool } = connect(ownerUrl, 1, () => {});
  const state = await findMigrationState(pool).finally(() => endPool(pool));
  if (state === "older")
    throw new OpsError("the database is older than this code. Bring it up to date: npm run migrate");
  if (state === "newer")
    throw new OpsError("the database is newer than this code. Use the code that the site runs on");
}

/** Opens the embedded database of this folder, starting it if need be. @throws OpsError when there is none */
async function openExistingDatabase({ dataDir }: Config) {
  const hasDatabase = existsSync(dataDir) && existsSync((await findHome(dataDir, () => {})).cluster);
  if (hasDatabase) return openEmbeddedPostgres(dataDir, console.error);
  throw new OpsError(
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
