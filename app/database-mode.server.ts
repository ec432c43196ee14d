import type { Pool } from "pg";
import { ConfigError } from "./config/config.server.ts";
import { isLiveKey } from "./config/environment.server.ts";
import type { PaymentsConfig } from "./config/service-config.server.ts";

/** Keeps play, test and real money apart: the first start records the purpose. @throws ConfigError when it is another */
export async function checkDatabaseMode(pool: Pick<Pool, "query">, payments: PaymentsConfig): Promise<void> {
  const expected = purposeOf(payments);
  if (expected) await recordPurpose(pool, expected);
  const { rows } = await pool.query("SELECT purpose FROM database_purpose");
  const recorded: string | undefined = rows[0]?.purpose;
  if (expected ? recorded === expected : recorded === undefined || recorded === "live") return;
  throw new ConfigError(
    `DATABASE_URL: this database is for ${recorded ?? "real users"} and this process for ${expected ?? "production"}; ` +
      "what it holds would count for what it is not. Use another database, or the settings it was made with",
  );
}

/** `null` when payments are off, which fits a live database and one without a purpose. */
function purposeOf(payments: PaymentsConfig): "sandbox" | "test" | "live" | null {
  if (payments.mode === "off") return null;
  if (payments.mode === "sandbox") return "sandbox";
  return isLiveKey(payments.secretKey) ? "live" : "test";
}

/** Users or promo codes without a purpose: run without payments before, it must not become a sandbox. */
async function recordPurpose(pool: Pick<Pool, "query">, purpose: string): Promise<void> {
  const isUnused =
    purpose === "sandbox"
      ? `NOT EXISTS (SELECT FROM "user") AND NOT EXISTS (SELECT FROM promo_codes)`
      : "true";
  await pool.query(
    `INSERT INTO database_purpose (purpose) SELECT $1 WHERE ${isUnused} ON CONFLICT DO NOTHING`,
    [purpose],
  );
}
