import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../../test/database.ts";
import { waitForLocks } from "../../../test/locks.ts";
import { SITE } from "../../../test/site.ts";
import { createSignedInUsers } from "../../../test/users.ts";
import { announceFeature, countHolders, findAnnouncement, previewMoves } from "./announce-feature.server.ts";
import { changeFeature } from "./change-feature.server.ts";
import { describeMoves } from "./describe-moves.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const OPERATOR = { name: "operator@example.com" };
const CSV = "csv_processing";

beforeAll(async () => {
  database = await openDatabase();
  // As if mail went out as soon as it is queued: never due, but there to be looked at.
  await database.pool.query(
    `CREATE FUNCTION send() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.run_at = 'infinity'; RETURN new; END $$;
     CREATE TRIGGER send BEFORE INSERT ON outbox FOR EACH ROW WHEN (new.kind = 'send_mail') EXECUTE FUNCTION send()`,
  );
});
afterAll(() => database.close());

beforeEach(async () => {
  await database.pool.query(
    `DELETE FROM features; DELETE FROM outbox; DELETE FROM billing_notices; DELETE FROM grants; DELETE FROM stripe_subscriptions;
     ALTER TABLE audit_log DISABLE TRIGGER USER; DELETE FROM audit_log; ALTER TABLE audit_log ENABLE TRIGGER USER`,
  );
});

/** People with a grant, whose ids are in order. @param until an interval from now */
async function holders(count: number, tier = "basic", until = "1 month"): Promise<string[]> {
  const users = await createSignedInUsers(database.pool, count);
  const ids = users.map(({ id }) => id).toSorted();
  await database.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, created_at, expires_at)
     SELECT gen_random_uuid(), id, $2, 'admin', now() - interval '1 year', now() + $3::interval FROM unnest($1::text[]) AS id`,
    [ids, tier, until],
  );
  return ids;
}

const open = (opening: Date | "now" | null = "now", feature: typeof CSV | "banking_api" = CSV) =>
  changeFeature(database.db, OPERATOR, feature, opening);

/** The job that waits to announce it, run once as the worker does. */
async function runJob(feature: typeof CSV | "banking_api" = CSV, isStopping?: () => boolean): Promise<void> {
  const { rows } = await database.pool.query(
    "SELECT id, payload FROM outbox WHERE kind = 'announce_feature' AND payload ->> 'feature' = $1 ORDER BY id DESC LIMIT 1",
    [feature],
  );
  await announceFeature(database.db, SITE, rows[0].payload, { id: rows[0].id }, isStopping);
}

/** How many mails each address was sent, as [subject, recipient]. */
async function mails(): Promise<string[]> {
  const { rows } = await database.pool.query(
    `SELECT payload ->> 'to' AS "to", payload ->> 'subject' AS subject, payload ->> 'text' AS text
     FROM outbox WHERE kind = 'send_mail'`,
  );
  return rows.map(({ to, subject }) => `${subject}: ${to}`).toSorted();
}

const openMailTo = (ids: readonly string[]) =>
  ids.map((id) => `CSV Processing is open: ${id}@example.com`).toSorted();

test("those who have a plan with it are mailed, whatever the tier, and no others", async () => {
  const basic = await holders(2);
  const premium = await holders(1, "premium");
  await holders(1, "premium", "-1 day");
  await createSignedInUsers(database.pool, 1);
  expect(await countHolders(database.db, CSV)).toEqual({ count: 3, isAll: true });
  expect(await countHolders(database.db, "banking_api")).toEqual({ count: 1, isAll: true });
  expect(await open()).toMatchObject({ ok: true, announces: true, state: { isOpen: true } });
  await runJob();
  expect(await mails()).toEqual(openMailTo([...basic, ...premium]));
  expect(await findAnnouncement(database.db, CSV)).toMatchObject({ mailed: 3 });
});

test("closed and opened again it is not announced again, and neither is a change of its day", async () => {
  const ids = await holders(2);
  await open();
  await runJob();
  await open(null);
  await holders(1);
  expect(await open()).toMatchObject({ announces: false });
  expect(await open(new Date("2026-01-02"))).toMatchObject({ announces: false });
  expect(await mails()).toEqual(openMailTo(ids));
});

test("stopped in the middle it goes on from there, and mails no user twice", async () => {
  const ids = await holders(250);
  await open();
  let chunks = 0;
  await expect(runJob(CSV, () => chunks++ === 1)).rejects.toThrow("stops");
  expect(await mails()).toHaveLength(200);
  const { rows } = await database.pool.query("SELECT payload FROM outbox WHERE kind = 'announce_feature'");
  expect(rows[0].payload).toMatchObject({ after: ids[199], mailed: 200 });
  await runJob();
  expect(await mails()).toEqual(openMailTo(ids));
});

test("no more than a few of its mails wait at a time, so that a link to log in does not wait behind thousands", async () => {
  await holders(250);
  await open();
  await database.pool.query("ALTER TABLE outbox DISABLE TRIGGER send");
  const { rows } = await database.pool.query(
    "SELECT id, payload FROM outbox WHERE kind = 'announce_feature'",
  );
  let looks = 0;
  const announcing = announceFeature(database.db, SITE, rows[0].payload, rows[0], () => ++looks > 4);
  await expect(announcing).rejects.toThrow("stops");
  await database.pool.query("ALTER TABLE outbox ENABLE TRIGGER send");
  expect(await mails()).toHaveLength(200);
});

test("by two workers at once each person is mailed once, and it is said once that all were", async () => {
  const ids = await holders(250);
  await open();
  await Promise.all([runJob(), runJob(), runJob()]);
  expect(await mails()).toEqual(openMailTo(ids));
  const { rows } = await database.pool.query("SELECT actor, action, after FROM audit_log ORDER BY id");
  expect(rows).toEqual([
    { actor: `site, for ${OPERATOR.name}`, action: "feature.opened", after: expect.anything() },
    { actor: `site, for ${OPERATOR.name}`, action: "feature.announced", after: { mailed: 250 } },
  ]);
});

test("with a day to come the job waits for it; closed before that, nobody hears of it", async () => {
  await holders(1);
  expect(await open(new Date("2999-01-01"))).toMatchObject({ announces: true, state: { isOpen: false } });
  const { rows } = await database.pool.query("SELECT run_at FROM outbox WHERE kind = 'announce_feature'");
  expect(rows.map((row) => row.run_at.getUTCFullYear())).toEqual([2999]);
  // Brought forward, as when an earlier day was set and then put off.
  await runJob();
  expect(await mails()).toEqual([]);
  await open(null);
  await runJob();
  expect(await mails()).toEqual([]);
  expect(await findAnnouncement(database.db, CSV)).toBeNull();
});

test("the first feature of a plan that is paid for says what becomes of the refund", async () => {
  const [free = "", paying = ""] = await holders(2, "premium");
  await database.pool.query(
    `INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('p', 'CSV + Banking', true, 'premium', 1);
     INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
     VALUES ('p', 'p', true, 499, 'usd', 'month', 1)`,
  );
  await database.pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $1)", [paying]);
  await database.pool.query(
    `INSERT INTO stripe_subscriptions
       (id, user_id, price_id, tier, status, started_at, current_period_end, access_until, sync_ticket)
     VALUES ($1, $1, 'p', 'premium', 'active', now(), now() + interval '10 days', now() + interval '10 days', 1)`,
    [paying],
  );
  await open();
  await runJob();
  await open("now", "banking_api");
  await runJob("banking_api");
  const { rows } = await database.db.execute<{ to: string; subject: string }>(
    sql`SELECT payload ->> 'to' AS "to", payload ->> 'subject' AS subject FROM outbox
      WHERE kind = 'send_mail' AND payload ->> 'text' LIKE '%new refund terms%'`,
  );
  expect(rows).toEqual([{ to: `${paying}@example.com`, subject: "CSV Processing is open" }]);
  expect(await mails()).toContain(`Banking API is open: ${free}@example.com`);
});

test("a change made meanwhile is not overwritten", async () => {
  const opened = await open();
  expect(await changeFeature(database.db, OPERATOR, CSV, null, null)).toMatchObject({ ok: false });
  const seen = opened.state.openedAt;
  const both = await Promise.all([1, 2].map(() => changeFeature(database.db, OPERATOR, CSV, null, seen)));
  expect(both.map(({ ok }) => ok).toSorted()).toEqual([false, true]);
});

test("an account that is deleted while it is its turn is left out", async () => {
  const ids = await holders(3);
  await open();
  const client = await database.pool.connect();
  await client.query("BEGIN");
  await client.query(`SELECT FROM "user" WHERE id = $1 FOR UPDATE`, [ids[1]]);
  const running = runJob();
  await waitForLocks(database.pool);
  await client.query(`DELETE FROM "user" WHERE id = $1`, [ids[1]]);
  await client.query("COMMIT");
  client.release();
  await running;
  expect(await mails()).toEqual(openMailTo(ids.filter((id) => id !== ids[1])));
});

test("many codes of one person hide nobody behind them", async () => {
  const [many = "", ...others] = await holders(30);
  await database.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at)
     SELECT gen_random_uuid(), $1, 'basic', 'admin', now() + interval '1 day' FROM generate_series(1, 500)`,
    [many],
  );
  expect(await countHolders(database.db, CSV)).toEqual({ count: 1 + others.length, isAll: true });
});

test("grants get the days they waited, once: not those that ended, have no end, or were made since; not again when opened again", async () => {
  const [waiting = "", endless = "", ended = "", late = ""] = await Promise.all(
    ["1 month", "99 years", "-1 day", "1 month"].map(
      async (until) => (await holders(1, "premium", until))[0] ?? "",
    ),
  );
  await database.pool.query(
    "UPDATE grants SET created_at = now() - interval '33 days 1 hour' WHERE user_id = $1",
    [waiting],
  );
  await database.pool.query("UPDATE grants SET created_at = now() + interval '1 hour' WHERE user_id = $1", [
    late,
  ]);
  const ends = async () => {
    const { rows } = await database.pool.query("SELECT user_id, expires_at, days_given FROM grants");
    return new Map(rows.map((row) => [row.user_id, row]));
  };
  const before = await ends();
  const preview = await previewMoves(database.db, CSV, new Date(), true);
  expect(preview.moves).toMatchObject([{ userId: waiting, kind: "grant", days: 34 }]);
  expect(describeMoves(preview.moves)).toEqual(["1 grant by 34 days"]);
  await open();
  await Promise.all([runJob(), runJob()]);
  await open(null);
  await open();
  await runJob();
  await open("now", "banking_api");
  await runJob("banking_api");
  const after = await ends();
  for (const id of [endless, ended, late]) expect(after.get(id)).toEqual(before.get(id));
  expect(after.get(waiting)?.days_given).toBe(34);
  expect(after.get(waiting)?.expires_at - before.get(waiting)?.expires_at).toBe(34 * 24 * 60 * 60 * 1000);
  const { rows } = await database.pool.query(
    "SELECT payload ->> 'text' AS text FROM outbox WHERE kind = 'send_mail' AND payload ->> 'to' = $1 ORDER BY id LIMIT 1",
    [`${waiting}@example.com`],
  );
  expect(rows[0].text.replaceAll(/\s+/g, " ")).toContain(
    "we’ve added the 34 days you waited, and your free plan now ends on",
  );
});
