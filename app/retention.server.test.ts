import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../test/database.ts";
import { createSignedInUsers } from "../test/users.ts";
import privacy from "./marketing/legal/privacy.md?raw";
import { deleteOutlived, RETENTION_DAYS } from "./retention.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
  await createSignedInUsers(database.pool, 1);
  await database.pool.query(`
    INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('prod', 'CSV Only', true, 'basic', 1);
    INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
    VALUES ('price', 'prod', true, 299, 'usd', 'month', 1)`);
});

afterAll(() => database.close());

const { doneJobs, mails, handledEvents, closedAttempts, planNotices, expiredSessions, pageViews } =
  RETENTION_DAYS;
const ATTEMPT = `INSERT INTO checkout_attempts (id, user_id, price_id, success_url, cancel_url, status, check_at, created_at)
  SELECT gen_random_uuid(), "user".id, 'price', '', ''`;

/** Each writes one row that reached its age `$1` ago. */
test.each([
  [
    "a job that is done",
    "outbox",
    doneJobs,
    "INSERT INTO outbox (kind, payload, done_at) SELECT 'x', '{}', now() - $1::interval",
  ],
  [
    "what the operator's list says of a mail",
    "mails",
    mails,
    "INSERT INTO mails (id, recipient, subject, queued_at) SELECT (random() * 1e15)::bigint, 'ada@example.com', 'Hello', now() - $1::interval",
  ],
  [
    "an event that is handled",
    "stripe_events",
    handledEvents,
    "INSERT INTO stripe_events (id, type, created, handled_at) SELECT gen_random_uuid(), 'x', now(), now() - $1::interval",
  ],
  [
    "a closed attempt",
    "checkout_attempts",
    closedAttempts,
    `${ATTEMPT}, 'closed', NULL, now() - $1::interval FROM "user"`,
  ],
  [
    "what was agreed to on a payment page that was left unpaid",
    "renewal_consents",
    closedAttempts,
    `INSERT INTO renewal_consents (id, user_id, price_id, text_version, text, agreed_at)
     SELECT gen_random_uuid(), id, 'price', '1', '', now() - $1::interval FROM "user"`,
  ],
  [
    "what was mailed about a plan",
    "billing_notices",
    planNotices,
    `INSERT INTO billing_notices (kind, subject, user_id, created_at)
     SELECT 'receipt', gen_random_uuid(), id, now() - $1::interval FROM "user"`,
  ],
  [
    "a refund that was counted",
    "counted_refunds",
    RETENTION_DAYS.countedRefunds,
    `INSERT INTO counted_refunds (subscription_id, mailbox_hash, refunded_at)
     SELECT gen_random_uuid(), 'hash', now() - $1::interval`,
  ],
  [
    "an expired session",
    "session",
    expiredSessions,
    `INSERT INTO session (id, token_hash, user_id, expires_at)
     SELECT gen_random_uuid(), gen_random_uuid(), id, now() - $1::interval FROM "user"`,
  ],
])("%s is deleted after its days and not an hour before", async (_what, table, days, insert) => {
  const count = async () => (await database.pool.query(`SELECT FROM ${table}`)).rowCount ?? 0;
  const before = await count();
  await database.pool.query(insert, [`${days * 24 - 1} hours`]);
  await deleteOutlived(database.db);
  expect(await count()).toBe(before + 1);
  await database.pool.query(insert, [`${days * 24 + 1} hours`]);
  await deleteOutlived(database.db);
  expect(await count()).toBe(before + 1);
});

test("the views of a day are deleted after their days and not a day before", async () => {
  const days = async () =>
    (
      await database.pool.query(
        "SELECT (now() AT TIME ZONE 'UTC')::date - day AS ago FROM page_views ORDER BY day DESC",
      )
    ).rows.map(({ ago }) => ago);
  await database.pool.query(
    `INSERT INTO page_views (day, page, views)
     SELECT (now() AT TIME ZONE 'UTC')::date - ago, '/', 1 FROM unnest($1::int[]) AS ago`,
    [[0, pageViews, pageViews + 1]],
  );
  await deleteOutlived(database.db);
  expect(await days()).toEqual([0, pageViews]);
});

test("what is not done, handled, or certainly over stays, however old", async () => {
  await database.pool.query("TRUNCATE outbox, stripe_events, checkout_attempts");
  await database.pool.query(`
    INSERT INTO outbox (kind, payload, created_at, run_at) SELECT 'x', '{}', now() - interval '1 year', now();
    INSERT INTO stripe_events (id, type, created, received_at) SELECT 'x', 'x', now(), now() - interval '1 year';
    INSERT INTO billing_notices (kind, subject, user_id, created_at)
    SELECT 'card_expires', 'pm_1 2099-12', id, now() - interval '9 years' FROM "user";
    ${ATTEMPT}, 'open', now(), now() - interval '1 year' FROM "user";
    ${ATTEMPT}, 'closed', now(), now() - interval '1 year' FROM "user"`);
  await deleteOutlived(database.db);
  const { rows } = await database.pool.query(`
    SELECT (SELECT count(*)::int FROM outbox) AS jobs, (SELECT count(*)::int FROM stripe_events) AS events,
      (SELECT count(*)::int FROM checkout_attempts) AS attempts,
      (SELECT count(*)::int FROM billing_notices WHERE kind = 'card_expires') AS cards`);
  expect(rows).toEqual([{ jobs: 1, events: 1, attempts: 2, cards: 1 }]);
});

test("many rows are deleted in batches of a thousand, and a locked row waits for the next sweep", async () => {
  await database.pool.query("TRUNCATE outbox");
  await database.pool.query(
    "INSERT INTO outbox (kind, payload, done_at) SELECT 'x', '{}', now() - interval '1 year' FROM generate_series(1, 3500)",
  );
  const busy = await database.pool.connect();
  await busy.query("BEGIN");
  await busy.query("SELECT FROM outbox ORDER BY id LIMIT 1 FOR UPDATE");
  const deleted: number[] = [];
  const { execute } = database.db;
  const counting: typeof database.db = Object.create(database.db, {
    execute: {
      value: async (query: Parameters<typeof execute>[0]) => {
        const result = await database.db.execute(query);
        deleted.push(result.rowCount ?? 0);
        return result;
      },
    },
  });
  await deleteOutlived(counting);
  expect(deleted.slice(0, 4)).toEqual([1000, 1000, 1000, 499]);
  await busy.query("ROLLBACK");
  busy.release();
  await deleteOutlived(database.db);
  expect((await database.pool.query("SELECT FROM outbox")).rowCount).toBe(0);
});

test("what is looked up by user or by address, and deleted with an account, has an index for it", async () => {
  const { rows } = await database.pool.query(`
    SELECT conrelid::regclass::text AS "table", attname AS "column"
    FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE contype = 'f' AND confrelid = '"user"'::regclass
      AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = conrelid AND indkey[0] = conkey[1] AND indpred IS NULL)`);
  expect(rows).toEqual([]);
  const { rowCount } = await database.pool.query(
    "SELECT FROM pg_indexes WHERE tablename = 'contact_messages' AND indexdef LIKE '%(lower(email))%'",
  );
  expect(rowCount).toBe(1);
});

test("the privacy page names the same days", () => {
  const section = (name: string) => privacy.split(`### ${name}\n`)[1]?.split("\n#")[0] ?? "";
  expect(section("Payments")).toContain(`we note about a payment page: ${closedAttempts} days`);
  expect(section("Payments")).toContain(`Stripe’s notices: ${handledEvents} days`);
  expect(section("Payments")).toContain(`Which emails about your plan we sent: ${planNotices} days`);
  expect(section("Payments")).toContain(`The refund record: ${RETENTION_DAYS.countedRefunds} days`);
  expect(section("Our emails")).toContain(`delete the record of it after ${doneJobs} days`);
  expect(section("Our emails")).toContain(`delete the record of it after ${mails} days`);
  expect(section("Views")).toContain(`delete the totals of a day’s views after ${pageViews} days`);
  expect(section("Sign-ins")).toContain(
    `after its last use, and its entry is deleted ${expiredSessions} day later`,
  );
});
