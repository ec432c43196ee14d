import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { openDatabase } from "../test/database.ts";
import { AUTH_SECRET } from "../test/server.ts";
import { createSignedInUsers, sessionTokenOf } from "../test/users.ts";
import { DASHBOARD_QUESTION } from "./account/dashboard-question.server.ts";
import { findAndRenewWith } from "./auth/find-session.server.ts";
import { readConfig } from "./config/config.server.ts";
import { connect, endPool } from "./db/client.server.ts";
import { createLog } from "./log/log.server.ts";
import { checkPromoCode } from "./promo/check.server.ts";
import { redeemPromoCode } from "./promo/redeem.server.ts";

/** More than PostgreSQL tries before it keeps a plan. */
const TIMES = 8;
const config = readConfig({ AUTH_SECRET });

async function addCode(pool: Pool): Promise<string> {
  const code = randomUUID().toUpperCase();
  await pool.query("INSERT INTO promo_codes (code, duration_type) VALUES ($1, 'months')", [code]);
  return code;
}

test("what is asked again and again is planned once a connection", async () => {
  const database = await openDatabase();
  const { db, pool } = connect(database.url, 1, () => {});
  const people = await createSignedInUsers(database.pool, TIMES);
  const code = await addCode(database.pool);
  for (const { id, cookie } of people) {
    const redemption = await redeemPromoCode({ db, config }, id, { code });
    expect(redemption.ok).toBe(true);
    const token = sessionTokenOf(cookie);
    const found = await findAndRenewWith(db, token, DASHBOARD_QUESTION.withSession);
    expect(found?.session.user.id).toBe(id);
  }
  const { rows } = await pool.query<{ name: string; isKept: boolean }>(
    `SELECT regexp_replace(name, '_[0-9a-f]{8}$', '') AS name, generic_plans > 0 AS "isKept"
     FROM pg_prepared_statements ORDER BY name`,
  );
  await endPool(pool);
  await database.close();
  expect(rows).toEqual(
    ["count_and_grant", "lock_owner", "look_at_code", "session_dashboard"].map((name) => ({
      name,
      isKept: true,
    })),
  );
});

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
