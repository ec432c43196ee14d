import type { Pool } from "pg";
import { ConfigError } from "../config.server.ts";

/**
 * Keeps play money and real money apart. What was bought or redeemed in the sandbox must never count in earnest,
 * and the sandbox's promo codes must never be sown among real users.
 *
 * @throws ConfigError when the database has been used for the other purpose
 */
export async function checkPurpose(pool: Pick<Pool, "query">, isSandbox: boolean): Promise<void> {
  const { rows } = await pool.query(
    `SELECT to_regnamespace('sandbox_stripe') IS NOT NULL AS was_sandbox, EXISTS (SELECT FROM "user") AS has_users`,
  );
  const { was_sandbox: wasSandbox, has_users: hasUsers } = rows[0];
  if (!isSandbox && wasSandbox) {
    throw new ConfigError(
      "DATABASE_URL: this database was used with the sandbox; what it holds was never paid for",
    );
  }
  if (isSandbox && !wasSandbox && hasUsers) {
    throw new ConfigError(
      "DATABASE_URL: this database has users and no sandbox; set NODE_ENV=production or the Stripe keys",
    );
  }
}
