import { readConfig } from "../app/config.server.ts";
import { applyMigrations, connect, type DatabaseConnection, endPool } from "../app/db/client.server.ts";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { checkPurpose } from "../app/db/purpose.server.ts";

/** The database this clone's server uses, for the length of one command; migrated, and given back afterwards. */
export async function withDatabase(run: (connection: DatabaseConnection) => Promise<void>): Promise<void> {
  const config = readConfig(process.env);
  const embedded = config.databaseUrl ? null : await openEmbeddedPostgres(config.dataDir, console.error);
  const url = config.databaseUrl ?? embedded?.url ?? "";
  try {
    await applyMigrations(url);
    const connection = connect(url, 2, () => {});
    try {
      await checkPurpose(connection.pool, config.payments);
      await run(connection);
    } finally {
      await endPool(connection.pool);
    }
  } finally {
    await embedded?.release();
  }
}
