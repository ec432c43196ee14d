import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../test/database.ts";
import { createPerson } from "../../../test/users.ts";
import { readListQuery } from "../lists/list-query.ts";
import { readPerson } from "./read-person.server.ts";
import { readTimeline } from "./timeline.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

const cursorOf = (parameters: Record<string, string>) =>
  readListQuery(new URLSearchParams(parameters), { sorts: [], isDescending: true, filters: [] }).from;

test("everything that happened is there once, newest first, forwards and back, however much comes at one moment", async () => {
  const { pool, db } = database;
  const person = await createPerson(pool);
  const customer = `cus_${randomUUID()}`;
  await pool.query(
    `INSERT INTO stripe_events (id, type, created, customer_id, received_at)
     SELECT $1 || i, 'invoice.paid', now(), $1, now() - make_interval(mins => i / 10) FROM generate_series(1, 70) AS i`,
    [customer],
  );
  await pool.query(
    `INSERT INTO mails (id, recipient, subject, queued_at)
     SELECT -1000 - i, $1, 'Hello ' || i, now() - make_interval(mins => i / 10) FROM generate_series(1, 25) AS i`,
    [person.email],
  );
  const pages: string[][] = [];
  let next: string | null = "";
  let last: Awaited<ReturnType<typeof readTimeline>> | undefined;
  for (; next !== null; next = last.next) {
    last = await readTimeline(db, person, customer, next ? cursorOf({ after: next }) : null);
    pages.push(last.rows.map(({ key }) => key));
  }
  const keys = pages.flat();
  // Also signing up and signing in.
  expect(keys).toHaveLength(70 + 25 + 2);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.slice(-1)[0]).toMatch(/^stripe_event /);
  const back = await readTimeline(db, person, customer, cursorOf({ before: last?.previous ?? "" }));
  expect(back.rows.map(({ key }) => key)).toEqual(pages.at(-2));
});

test("a sign-in that never took its second step is no sign-in", async () => {
  const { pool, db } = database;
  const person = await createPerson(pool);
  await pool.query(
    `INSERT INTO session (id, token_hash, user_id, user_agent, needs_second_factor, expires_at)
     VALUES ($1, $1, $2, $3, true, now() + interval '10 minutes')`,
    [randomUUID(), person.id, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
  );
  const { rows } = await readTimeline(db, person, null, null);
  const said = rows.map(({ text }) => text);
  expect(said.filter((line) => line.startsWith("Signed in"))).toHaveLength(1);
  expect(said).toContain("Took the first step of logging in and not the second: Firefox on Linux");
  expect((await readPerson(db, person.id))?.signIn.sessions).toBe(1);
});

test("what it says, and where it leads", async () => {
  const { pool, db } = database;
  const { id, email } = await createPerson(pool);
  await pool.query(`
    INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('prod', 'CSV Only', true, 'basic', 1);
    INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
    VALUES ('monthly', 'prod', true, 299, 'usd', 'month', 1);
    INSERT INTO promo_codes (code, duration_type) VALUES ('A-B', 'forever')`);
  await pool.query(
    `WITH mail AS (
       INSERT INTO mails (id, recipient, subject, given_up_at, failure) VALUES (-7, $2, 'Receipt', now(), 'EENVELOPE')
     ), plan AS (
       INSERT INTO stripe_subscriptions (id, user_id, price_id, tier, status, current_period_end, started_at, sync_ticket)
       VALUES ('sub_1', $1, 'monthly', 'basic', 'active', now(), now(), 1)
     ), invoice AS (
       INSERT INTO stripe_invoices (id, user_id, status, currency, total, amount_due, amount_paid, amount_refunded, created_at, sync_ticket)
       VALUES ('in_1', $1, 'paid', 'usd', 4999, 0, 4999, 500, now(), 1)
     )
     INSERT INTO grants (id, user_id, tier, source, promo_code, reason, expires_at)
     VALUES ('redeemed', $1, 'basic', 'promo', 'A-B', NULL, now()), ('given', $1, 'premium', 'admin', NULL, 'Press', now())`,
    [id, email],
  );
  const { rows } = await readTimeline(db, { id, email }, null, null);
  expect(rows.map(({ topic, text, href }) => [topic, text, href])).toEqual(
    expect.arrayContaining([
      ["Email", "Receipt, given up, EENVELOPE", "/admin/mail/-7"],
      ["Plan", "CSV Only began (sub_1)", null],
      ["Payment", "Invoice in_1: $49.99, paid, $5.00 refunded", null],
      ["Access", "Redeemed A-B: CSV Only", "/admin/codes/A-B"],
      ["Access", "Was given CSV + Banking: Press", null],
    ]),
  );
});
