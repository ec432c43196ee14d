import type { Pool } from "pg";
import type { Config } from "../config/config.server.ts";
import { purposeOf } from "../database-mode.server.ts";
import { findViolations, readInvariants } from "../db/invariants.server.ts";
import { findMigrationState } from "../db/migration-state.server.ts";
import { MAY_CHANGE_LOG } from "../db/roles.server.ts";
import type { Finding } from "./finding.ts";

/** The oldest version whose SQL the migrations are written in. */
const OLDEST_VERSION = 15;
const CONNECTION_SHARE = 0.8;

type Found = Omit<Finding, "check">[];

/** What answers there, how large it is, and how many connections are left. */
export async function checkDatabase(pool: Pick<Pool, "query">, url: string): Promise<Found> {
  const { rows } = await pool.query<Server>(`
    SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS major,
      pg_database_size(current_database())::float8 AS bytes, pg_is_in_recovery() AS "isReplica",
      (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most`);
  const [server] = rows;
  if (!server) throw new Error("the database gave no answer");
  const { host, pathname } = new URL(url);
  const found: Found = [
    {
      level: "ok",
      says: `PostgreSQL ${server.version.split(" ")[0]} at ${host}${pathname}, ${size(server.bytes)}, ${server.used} of ${server.most} connections used`,
    },
  ];
  if (server.major < OLDEST_VERSION)
    found.push({
      level: "fail",
      says: `PostgreSQL ${server.major} is too old`,
      advice: `use ${OLDEST_VERSION} or later`,
    });
  if (server.isReplica)
    found.push({
      level: "fail",
      says: "it is a replica, which cannot be written to",
      advice: "let DATABASE_URL lead to the primary",
    });
  if (server.used > server.most * CONNECTION_SHARE)
    found.push({
      level: "warn",
      says: `only ${server.most - server.used} connections are left`,
      advice: "raise max_connections, or lower DATABASE_POOL_SIZE: processes × (pool + 4) must be less",
    });
  return found;
}

interface Server {
  version: string;
  major: number;
  bytes: number;
  isReplica: boolean;
  used: number;
  most: number;
}

function size(bytes: number): string {
  return bytes < 1e9 ? `${Math.ceil(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** Whether the tables are those of this code, and what they hold is what this process is for. */
export async function checkSchema(
  pool: Pick<Pool, "query">,
  { payments }: Pick<Config, "payments">,
): Promise<Found> {
  const state = await findMigrationState(pool);
  if (state === "older")
    return [{ level: "fail", says: "the schema is older than this code", advice: "npm run migrate" }];
  if (state === "newer")
    return [
      {
        level: "warn",
        says: "the schema is newer than this code, as while the next version is rolled out",
        advice: "run the doctor of the version that the site runs on",
      },
    ];
  const { rows } = await pool.query<{ purpose: string }>("SELECT purpose FROM database_purpose");
  const [recorded, expected] = [rows[0]?.purpose, purposeOf(payments)];
  if (recorded && expected && recorded !== expected)
    return [
      {
        level: "fail",
        says: `the database is for ${recorded} payments and these settings are for ${expected} ones`,
        advice: "use the Stripe keys or the DATABASE_URL that belong together",
      },
    ];
  return [{ level: "ok", says: `that of this code${recorded ? `, for ${recorded} payments` : ""}` }];
}

/** Whether the site could do more to its tables than it has to. */
export async function checkRoles(pool: Pick<Pool, "query">): Promise<Found> {
  const { rows } = await pool.query<{ name: string }>("SELECT current_user AS name");
  const name = rows[0]?.name ?? "";
  const { rowCount } = await pool.query(MAY_CHANGE_LOG, [name]);
  if (!rowCount)
    return [
      { level: "ok", says: `the site is “${name}”, who can neither alter a table nor change the audit log` },
    ];
  return [
    {
      level: "warn",
      says: `the site is “${name}”, who could alter tables and change the audit log`,
      advice: "give DATABASE_OWNER_URL the role that owns them, and DATABASE_URL a new one",
    },
  ];
}

/** Whether the data is sound. */
export async function checkInvariants(pool: Pool): Promise<Found> {
  const violations = await findViolations(pool);
  if (violations.length === 0)
    return [{ level: "ok", says: `all ${readInvariants().length} rules about the data hold` }];
  return violations.map(({ rule, rows }) => ({
    level: "fail",
    says: `does not hold: ${rule} (${rows.length} rows)`,
    advice: "npm run invariants shows the rows",
  }));
}
