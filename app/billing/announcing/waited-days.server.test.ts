import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { sharedDatabase } from "../../../test/database.fixture.ts";
import { createSignedInUser } from "../../../test/users.ts";
import { daysOwedTo, findMoves, moveGrants } from "./waited-days.server.ts";

const database = sharedDatabase(({ pool }) =>
  pool.query(
    `INSERT INTO products (id, name, active, tier, sync_ticket) VALUES ('p', 'CSV Only', true, 'basic', 1);
     INSERT INTO prices (id, product_id, active, unit_amount, currency, interval, sync_ticket)
     VALUES ('p', 'p', true, 499, 'usd', 'month', 1)`,
  ),
);

const OPENED = new Date("2026-06-01T00:00:00Z");

interface Invoice {
  from: string;
  to: string;
  status?: string;
  paid?: number;
  refunded?: number;
  dispute?: string;
}

/** The days owed for a subscription with these invoices. */
async function daysFor(...invoices: Invoice[]): Promise<number> {
  const { id } = await createSignedInUser(database.pool);
  await database.pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $1)", [id]);
  await database.pool.query(
    `INSERT INTO stripe_subscriptions
       (id, user_id, price_id, tier, status, started_at, current_period_end, access_until, sync_ticket)
     VALUES ($1, $1, 'p', 'basic', 'active', now(), now() + interval '1 day', now() + interval '1 day', 1)`,
    [id],
  );
  for (const { from, to, status = "paid", paid = 499, refunded = 0, dispute = null } of invoices)
    await database.pool.query(
      `INSERT INTO stripe_invoices (id, user_id, subscription_id, status, currency, total, amount_due, amount_paid,
         amount_refunded, dispute_status, created_at, period_start, period_end, sync_ticket)
       VALUES ($1, $2, $2, $3, 'usd', $4, $4, $4, $5, $6, $7::date, $7::date, $8::date, 1)`,
      [randomUUID(), id, status, paid, refunded, dispute, from, to],
    );
  return daysOwedTo(database.db, id, OPENED);
}

const APRIL = { from: "2026-04-01", to: "2026-05-01" };
const MAY = { from: "2026-05-01", to: "2026-06-01" };

test("a subscription is owed the days that were paid for, or free, before the opening, each once", async () => {
  expect(await daysFor()).toBe(0);
  expect(await daysFor(APRIL, MAY)).toBe(61);
  expect(await daysFor(APRIL, { ...APRIL, paid: 100 }, { from: "2026-04-21", to: "2026-05-11" })).toBe(40);
  expect(await daysFor({ ...MAY, paid: 0 }), "a trial").toBe(31);
  expect(await daysFor({ from: "2026-05-22", to: "2026-06-22" }), "only until it opened").toBe(10);
  expect(await daysFor({ from: "2026-06-01", to: "2026-07-01" }), "paid for after it").toBe(0);
});

test("no days are owed for what went unpaid, back in full, or to the bank", async () => {
  expect(await daysFor(APRIL, { ...MAY, status: "open" })).toBe(30);
  expect(await daysFor(APRIL, { ...MAY, refunded: 499 })).toBe(30);
  expect(await daysFor(APRIL, { ...MAY, refunded: 498 })).toBe(61);
  expect(await daysFor(APRIL, { ...MAY, dispute: "lost" })).toBe(30);
  expect(await daysFor(APRIL, { ...MAY, dispute: "won" })).toBe(61);
});

test("a grant moves once; not one that was taken back, had ended, was made since, or is of another plan", async () => {
  const grant = async ({ from = "2026-05-22", to = "2026-07-01", revoked = false, tier = "basic" }) => {
    const { id } = await createSignedInUser(database.pool);
    await database.pool.query(
      `INSERT INTO grants (id, user_id, tier, source, created_at, expires_at, revoked_at)
       VALUES ($1, $1, $2, 'admin', $3::date, $4::date, CASE WHEN $5 THEN now() END)`,
      [id, tier, from, to, revoked],
    );
    return id;
  };
  const waiting = await grant({});
  const others = await Promise.all([
    grant({ revoked: true }),
    grant({ to: "2026-05-31" }),
    grant({ from: "2026-06-02" }),
    grant({ tier: "premium" }),
    grant({ to: "2126-07-01" }),
  ]);
  const all = [waiting, ...others];
  const moves = await findMoves(database.db, all, ["basic"], OPENED);
  expect(moves).toMatchObject([{ kind: "grant", userId: waiting, days: 10 }]);
  const moved = await moveGrants(database.db, all, ["basic"], OPENED);
  expect(moved).toEqual([{ userId: waiting, days: 10, endsAt: expect.any(Date) }]);
  expect(moved[0]?.endsAt.toISOString().slice(0, 10)).toBe("2026-07-11");
  expect(await moveGrants(database.db, all, ["basic"], OPENED)).toEqual([]);
  expect(await findMoves(database.db, all, ["basic"], OPENED)).toEqual([]);
});
