/**
 * Clears the rate limits, for trying things out on a developer's machine:
 *
 *   npm run limits -- clear
 */
import type { Pool } from "pg";
import type { Config } from "../app/config/config.server.ts";
import { withDatabase } from "./open.ts";

if (process.argv.slice(2).join(" ") === "clear") await withDatabase(clear);
else fail("Usage:\n  npm run limits -- clear");

async function clear(
  { pool }: { pool: Pool },
  { isProduction }: Pick<Config, "isProduction">,
): Promise<void> {
  const { rowCount } = await pool.query("SELECT FROM database_purpose WHERE purpose = 'sandbox'");
  // Elsewhere, rate limits protect the passwords of real users.
  if (isProduction || rowCount !== 1)
    return fail("limits are cleared in the sandbox's database only: in any other they guard real accounts");
  const cleared = await pool.query("DELETE FROM rate_limits");
  console.log(`${cleared.rowCount} limits cleared`);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
