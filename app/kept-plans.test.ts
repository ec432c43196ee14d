import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { openDatabase } from "../test/database.ts";
import { AUTH_SECRET } from "../test/server.ts";
import { createSignedInUsers } from "../test/users.ts";
import { readConfig } from "./config/config.server.ts";
import { connect, endPool } from "./db/client.server.ts";
import { createLog } from "./log/log.server.ts";
import { checkPromoCode } from "./promo/check.server.ts";
import { redeemPromoCode } from "./promo/redeem.server.ts";

const config = readConfig({ AUTH_SECRET });

async function addCode(pool: Pool): Promise<string> {
  const code = randomUUID().toUpperCase();
  await pool.query("INSERT INTO promo_codes (code, duration_type) VALUES ($1, 'months')", [code]);
  return code;
}

/** More grants than are quicker read whole, each of a code of its own. */
const SINGLE_CODES = 1_000;
const CROWD = 60;

test("who looks at a code and redeems it reads nothing of others who have, whatever the statistics say", async () => {
  const database = await openDatabase();
  const { db, pool } = connect(database.url, 1, () => {});
  const people = await createSignedInUsers(database.pool, CROWD);
  await database.pool.query(
    `WITH codes AS (
       INSERT INTO promo_codes (code, duration_type, max_uses, used_count)
       SELECT 'SINGLE' || i, 'months', 1, 1 FROM generate_series(1, $1) AS i RETURNING code
     )
     INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
     SELECT code, $2, 'basic', 'promo', code, now() + interval '1 month' FROM codes`,
    [SINGLE_CODES, (await createSignedInUsers(database.pool, 1))[0]?.id],
  );
  await database.pool.query("VACUUM (ANALYZE)");
  const code = await addCode(database.pool);
  for (const { id } of people) {
    const { ok } = await checkPromoCode(
      { db, config, log: createLog("silent") },
      id,
      { id, email: "nobody@example.com", emailVerified: false },
      { code },
    );
    expect(ok).toBe(true);
    expect((await redeemPromoCode({ db, config }, id, { code })).ok).toBe(true);
  }
  await pool.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await pool.query(
    "SELECT idx_tup_read::int AS read FROM pg_stat_user_indexes WHERE indexrelname = 'grants_promo_code_index'",
  );
  await endPool(pool);
  await database.close();
  expect(rows).toEqual([{ read: 0 }]);
});
