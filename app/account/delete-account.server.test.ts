import { expect, test } from "vitest";
import { sharedDatabase } from "../../test/database.fixture.ts";
import { createSignedInUser } from "../../test/users.ts";
import { readConfig } from "../config/config.server.ts";
import { connect } from "../db/client.server.ts";
import { createLog } from "../log/log.server.ts";
import { deleteAccount } from "./delete-account.server.ts";

const database = sharedDatabase(({ pool }) =>
  pool.query(
    `INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('p', 'CSV Only', true, 'basic', 1);
     INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
     VALUES ('p', 'p', true, 499, 'usd', 'month', 1)`,
  ),
);

const config = readConfig({ AUTH_SECRET: "a secret of at least thirty-two characters" });
const payments = { isOn: false, reason: "none here" } as const;

test("what begins to be paid after payments were ended, and before the rows are deleted, has them ended again", async () => {
  const { id } = await createSignedInUser(database.pool);
  const { db, pool } = connect(database.url, 2, () => {});
  const open = pool.connect;
  let opened = 0;
  Object.assign(pool, {
    /** The transaction that deletes the rows begins. */
    async connect(...args: never[]) {
      if (args.length === 0 && opened++ === 0) {
        await database.pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $1)", [
          id,
        ]);
        await database.pool.query(
          `INSERT INTO checkout_attempts (id, user_id, price_id, success_url, cancel_url) VALUES ($1, $1, 'p', '', '')`,
          [id],
        );
      }
      return Reflect.apply(open, pool, args);
    },
  });
  const app = { config, db, payments, log: createLog("silent") };
  expect(await deleteAccount(app, id, null)).toBe("payments_away");
  expect(opened).toBe(1);
  expect((await database.pool.query(`SELECT FROM "user" WHERE id = $1`, [id])).rowCount).toBe(1);
  await database.pool.query("DELETE FROM checkout_attempts");
  await database.pool.query("DELETE FROM customers");
  expect(await deleteAccount(app, id, null)).toBe("deleted");
  await pool.end();
});
