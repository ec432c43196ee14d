import type { Pool } from "pg";
import { ConfigError, type PaymentsConfig } from "./config/config.server.ts";
import { isLiveKey } from "./config/environment.server.ts";

/**
 * Keeps play money, Stripe's test money and real money apart: what was bought or redeemed with one must never count
 * with another, and the sandbox's promo codes must never be sown among real users. The first start writes down what
 * the database is for; every later one compares.
 *
 * @throws ConfigError when the database is for something else
 */
export async function checkDatabaseMode(pool: Pick<Pool, "query">, payments: PaymentsConfig): Promise<void> {
  const wanted = purposeOf(payments);
  if (wanted) await writeFirstPurpose(pool, wanted);
  const { rows } = await pool.query("SELECT purpose FROM database_purpose");
  const written: string | undefined = rows[0]?.purpose;
  if (wanted ? written === wanted : written === undefined || written === "live") return;
  throw new ConfigError(
    `DATABASE_URL: this database is for ${written ?? "real users"} and this process for ${wanted ?? "production"}; ` +
      "what it holds would count for what it is not. Use another database, or the settings it was made with",
  );
}

/** What payments that are off are for cannot be told: anything but play is fine with them. */
function purposeOf(payments: PaymentsConfig): "sandbox" | "test" | "live" | null {
  if (payments.mode === "off") return null;
  if (payments.mode === "sandbox") return "sandbox";
  return isLiveKey(payments.secretKey) ? "live" : "test";
}

/** A database that has users or promo codes and no purpose has been run without payments: it is no playground. */
async function writeFirstPurpose(pool: Pick<Pool, "query">, purpose: string): Promise<void> {
  const isFree =
    purpose === "sandbox"
      ? `NOT EXISTS (SELECT FROM "user") AND NOT EXISTS (SELECT FROM promo_codes)`
      : "true";
  await pool.query(
    `INSERT INTO database_purpose (purpose) SELECT $1 WHERE ${isFree} ON CONFLICT DO NOTHING`,
    [purpose],
  );
}
