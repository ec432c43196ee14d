import type { Pool } from "pg";
import { findViolations } from "../db/invariants.server.ts";
import { findMigrationState } from "../db/migration-state.server.ts";
import { type Found, fail, ok, warn } from "./finding.ts";

const CONNECTION_SHARE = 0.8;

/** What answers there, whether its tables are those of this code, and how many connections are left. */
export async function checkDatabase(pool: Pick<Pool, "query">, url: string): Promise<Found> {
  const { rows } = await pool.query(`
    SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS "isReplica",
      (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most`);
  const [{ version, isReplica, used, most }] = rows;
  const { host, pathname } = new URL(url);
  const schema = await findMigrationState(pool);
  return [
    ok(`PostgreSQL ${version.split(" ")[0]} at ${host}${pathname}, ${used} of ${most} connections used`),
    isReplica && fail("it is a replica, which cannot be written to", "let DATABASE_URL lead to the primary"),
    schema === "older" && fail("the schema is older than this code", "npm run migrate"),
    schema === "newer" &&
      warn(
        "the schema is newer than this code, as while the next version is rolled out",
        "run the doctor of the version that the site runs on",
      ),
    used > most * CONNECTION_SHARE &&
      warn(`only ${most - used} connections are left`, "raise max_connections, or lower DATABASE_POOL_SIZE"),
  ];
}

/** Whether the data is sound. */
export async function checkInvariants(pool: Pool): Promise<Found> {
  const violations = await findViolations(pool);
  if (violations.length === 0) return [ok("all rules about the data hold")];
  return violations.map(({ rule, rows }) =>
    fail(`does not hold: ${rule} (${rows.length} rows)`, "npm run invariants shows the rows"),
  );
}
