import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { openDatabase } from "../test/database.ts";
import { AUTH_SECRET } from "../test/server.ts";
import { createSignedInUsers, sessionTokenOf } from "../test/users.ts";
import { DASHBOARD_QUESTION } from "./account/dashboard-question.server.ts";
import { findAndRenewWith } from "./auth/find-session.server.ts";
import { connect, endPool } from "./db/client.server.ts";
import { countedOver } from "./limits/hits.server.ts";
import { redeemPromoCode } from "./promo/redeem.server.ts";

/** More than PostgreSQL tries before it keeps a plan. */
const TIMES = 8;

test("what is asked again and again is planned once a connection, also for a few who come together", async () => {
  const database = await openDatabase();
  const { db, pool } = connect(database.url, 1, () => {});
  const people = await createSignedInUsers(database.pool, TIMES);
  const code = randomUUID().toUpperCase();
  await database.pool.query("INSERT INTO promo_codes (code, duration_type) VALUES ($1, 'months')", [code]);
  const limit = { name: "test", windows: [{ count: 100, seconds: 60 }] };
  const { count } = countedOver(db);
  for (const { id, cookie } of people) {
    const redemption = await redeemPromoCode({ db, config: { authSecret: AUTH_SECRET } }, id, { code });
    expect(redemption.ok).toBe(true);
    const token = sessionTokenOf(cookie);
    const page = () => findAndRenewWith(db, token, DASHBOARD_QUESTION.withSession);
    for (const found of await Promise.all([page(), page(), page()])) expect(found?.session.user.id).toBe(id);
    await Promise.all(["one", "two", "three"].map((key) => count({ key: `${key} ${id}`, limit })));
  }
  // Locking is planned in no time, and best for as many as there are: by one walk along the index.
  const { rows } = await pool.query<{ name: string; isKept: boolean }>(
    `SELECT regexp_replace(name, '_[0-9a-f]{8}$', '') AS name, generic_plans > 0 AS "isKept"
     FROM pg_prepared_statements WHERE name NOT LIKE 'lock_%' ORDER BY name`,
  );
  await endPool(pool);
  await database.close();
  expect(rows).toEqual(
    [...["count_hits", "redeem_facts", "redeem_grant_free_one", "redeem_look"], "session_dashboard_all"].map(
      (name) => ({ name, isKept: true }),
    ),
  );
});
