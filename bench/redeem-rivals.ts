import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Pool } from "pg";

/** The users and codes of the benchmark: `u1`, `u2`, … and `C0`, which is the hot one, to `C1000`. */
export const CODES = 1_000;
export const HOT_CODE = "C0";

/**
 * The statements of a redemption at commit 729c208, inside its transaction.
 *
 * @param user an SQL expression, as `code` is
 */
const statementsOfOne = (user: string, code: string) => [
  "BEGIN",
  `SELECT * FROM "user" WHERE id = ${user} FOR UPDATE`,
  `SELECT tier, expires_at, revoked_at IS NULL AND expires_at > now() FROM grants
     WHERE user_id = ${user} AND promo_code = ${code}`,
  `SELECT grant_id FROM redeemed_addresses WHERE promo_code = ${code} AND email_hash = 'hash' || ${user}`,
  `SELECT tier, confirmed_only, concat_ws(' ', coalesce(tier, '-'), duration_type, duration_months, confirmed_only),
     (now() AT TIME ZONE 'UTC' + make_interval(months => coalesce(duration_months, 1))) AT TIME ZONE 'UTC'
     FROM promo_codes WHERE code = ${code}`,
  `SELECT tier, source, promo_code, expires_at, renews FROM held_plans WHERE user_id = ${user}`,
  `UPDATE promo_codes SET used_count = used_count + 1
     WHERE code = ${code} AND active AND (starts_at IS NULL OR starts_at <= now())
       AND (expires_at IS NULL OR expires_at > clock_timestamp()) AND (max_uses IS NULL OR used_count < max_uses)
       AND concat_ws(' ', coalesce(tier, '-'), duration_type, duration_months, confirmed_only) = '- months f'
     RETURNING code`,
  `INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
     VALUES (gen_random_uuid(), ${user}, 'basic', 'promo', ${code}, now() + interval '1 month')`,
  "COMMIT",
];

/** The checks before its transaction. */
const looks = (user: string, code: string) => [
  `SELECT *, now() FROM promo_codes WHERE code = ${code}`,
  `SELECT tier, expires_at, revoked_at IS NULL AND expires_at > now() FROM grants
     WHERE user_id = ${user} AND promo_code = ${code}`,
];

/** One redemption of that time, without building its statements. */
export async function redeemAsBefore(pool: Pool, user: string, code: string): Promise<void> {
  const [u, c] = [`'${user}'`, `'${code}'`];
  for (const statement of looks(u, c)) await pool.query(statement);
  const client = await pool.connect();
  try {
    for (const statement of statementsOfOne(u, c)) await client.query(statement);
  } finally {
    client.release();
  }
}

const CLIENTS = 8;
/** The users of each client, used in turn. */
const USERS_OF_EACH = 5_000;
export const USERS = CLIENTS * USERS_OF_EACH;

/** Redemptions a second by pgbench: the same statements, prepared, with eight clients. */
export async function pgbench(url: string, folder: string, isHot: boolean, seconds: number): Promise<number> {
  const script = join(folder, "redeem.sql");
  const lines = [
    "\\set n :n + 1",
    `\\set user :client_id * ${USERS_OF_EACH} + :n`,
    `\\set code random(1, ${CODES})`,
    ...statementsOfOne("'u' || :user::text", isHot ? `'${HOT_CODE}'` : "'C' || :code::text").map(
      (statement) => `${statement.replaceAll(/\s+/g, " ")};`,
    ),
  ];
  writeFileSync(script, `${lines.join("\n")}\n`);
  const { stdout } = await promisify(execFile)("pgbench", [
    ...["-n", "-M", "prepared", "-D", "n=0", "-c", `${CLIENTS}`, "-j", "1", "-T", `${seconds}`],
    ...["-f", script, url],
  ]);
  if (!/failed transactions: 0 /.test(stdout)) throw new Error(stdout);
  return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
}
