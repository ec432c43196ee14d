import { beforeAll, expect, test } from "vitest";
import { control, eventually, mainOf, postForm } from "../../../test/http.ts";
import { createOperator } from "../../../test/operator.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { createSignedInUser, get, type Person } from "../../../test/users.ts";

const server = setupServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
  // A busy start may still be mirroring Stripe, and would take away what these tests add to the mirror.
  await eventually(async () => {
    const { rows } = await server.pool.query(
      `SELECT FROM products WHERE id = 'prod_csv_only'
         AND NOT EXISTS (SELECT FROM outbox WHERE kind = 'sync_catalogue' AND done_at IS NULL)`,
    );
    return rows.length > 0;
  }, "the mirror is up to date");
});

const page = async (said = "") =>
  (await mainOf(await get(server, `/admin/plans${said}`, operator.cookie))).replace(/<!-- -->/g, "");
const ask = async () => (await postForm(server, "/admin/plans", {}, operator.cookie)).headers.get("location");

test("it shows what is on sale, what is hidden or not sold and why, and who still pays for what is gone", async () => {
  const { id } = await createSignedInUser(server.pool);
  await server.pool.query(
    `INSERT INTO products (id, name, active, tier, position, sync_ticket) VALUES ('prod_old', 'The old plan', false, 'basic', 9, 1);
     INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket) VALUES
       ('price_old', 'prod_old', false, 199, 'usd', 'month', 1), ('price_eur', 'prod_csv_only', true, 250, 'eur', 'month', 1);
     INSERT INTO skipped_prices (id, product_name, reason) VALUES ('price_mug', 'A mug', 'has no fixed amount')`,
  );
  await server.pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, 'cus_old')", [id]);
  await server.pool.query(
    `INSERT INTO stripe_subscriptions (id, user_id, price_id, tier, status, current_period_end, started_at, sync_ticket)
     VALUES ('sub_old', $1, 'price_old', 'basic', 'active', now() + interval '1 month', now(), 1)`,
    [id],
  );
  const shown = await page();
  expect(shown).toMatch(
    /CSV Only.*prod_csv_only.*On sale.*basic.*\$2\.99 a month.*The old plan.*Hidden.*1 archived/s,
  );
  expect(shown).toMatch(/€2\.50 a month, not on sale/);
  expect(shown).toContain("it is in eur, and the site sells in usd (CURRENCY).");
  expect(shown).toMatch(
    /A price of “A mug” isn’t on sale: it has no fixed amount\. <a href="[^"]*price_mug"/,
  );
  expect(shown).toMatch(/price_old.*>1<\/td>.*\$1\.99 a month/s);
});

test("Stripe is asked now, and who asked is in the log; while it is away nothing changes", async () => {
  expect(await ask()).toBe("/admin/plans?said=synced");
  const shown = await page("?said=synced");
  expect(shown).toContain("This is what it sells now.");
  expect(shown).not.toContain("price_mug");
  const log = async () =>
    (await server.pool.query("SELECT actor FROM audit_log WHERE action = 'catalogue.synced'")).rows;
  expect(await log()).toEqual([{ actor: operator.email }]);

  await control(server, { api: "down" });
  expect(await ask()).toBe("/admin/plans?said=away");
  await control(server, { reset: true });
  expect(await log()).toHaveLength(1);
});
