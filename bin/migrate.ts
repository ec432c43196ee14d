/**
 * Brings the schema of the database up to this code, and gives the site's role its rights: `npm run migrate`. Needs the role
 * that owns the tables: DATABASE_OWNER_URL, or a DATABASE_URL that does. Safe while the site runs, and to repeat.
 *
 * Exits with 0 when the schema is this code's or newer, 1 when it could not be made so.
 */
import type { Config } from "../app/config/config.server.ts";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { applyMigrations } from "../app/db/migrate.server.ts";
import { explainStartError } from "../app/start-errors.server.ts";
import { readConfigOrExit } from "./open.ts";

if (process.argv.length > 2) {
  console.error("Usage:\n  npm run migrate");
  process.exitCode = 1;
} else await run(readConfigOrExit());

async function run(config: Config): Promise<void> {
  const embedded = config.database ? null : await openEmbeddedPostgres(config.dataDir, console.error);
  try {
    const urls = config.database ?? { ownerUrl: embedded?.url ?? "", siteUrl: embedded?.siteUrl ?? "" };
    const applied = await applyMigrations(urls.ownerUrl, {
      siteUrl: urls.siteUrl,
      say: (line) => console.log(line),
    });
    for (const name of applied) console.log(`applied ${name}`);
    console.log(applied.length > 0 ? `${applied.length} migrations applied` : "nothing to apply");
  } catch (error) {
    const reason = explainStartError(error, config);
    if (!reason) throw error;
    console.error(reason);
    process.exitCode = 1;
  } finally {
    await embedded?.release();
  }
}
