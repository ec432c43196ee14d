import type { Pool } from "pg";

/** One for each result redeeming a code can have. Safe to run again. */
export async function addSampleCodes(pool: Pool): Promise<void> {
  await pool.query(`
    INSERT INTO promo_codes (code, tier, duration_type, duration_months, max_uses, expires_at) VALUES
      ('WELCOME',  NULL,      'months',  1,    NULL, NULL),
      ('PREMIUM3', 'premium', 'months',  3,    100,  NULL),
      ('FOREVER',  'premium', 'forever', NULL, NULL, NULL),
      ('ONEUSE',   'basic',   'months',  1,    1,    NULL),
      ('EXPIRED',  NULL,      'months',  1,    NULL, now() - interval '1 day'),
      ('USEDUP',   NULL,      'months',  1,    0,    NULL)
    ON CONFLICT DO NOTHING`);
}
