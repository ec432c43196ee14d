import { expect, test } from "vitest";
import { setupLife, subscribe } from "./life.fixture.ts";
import { enqueueOverdueSyncs } from "./overdue.server.ts";

const life = setupLife();

const paymentOf = async (invoice: string) => {
  const { data } = await life.stripe.invoicePayments.list({ invoice });
  return String(data[0]?.payment.payment_intent);
};

test("a payment that went back gives no days of grace when the next one fails", async () => {
  const person = await subscribe(life);
  const payment = await paymentOf((await person.invoices())[0].id);
  await life.stripe.refunds.create({ payment_intent: payment });
  await person.payWith("pm_card_chargeCustomerFail");
  await person.pass(32);
  expect(await person.subscription()).toMatchObject({ status: "past_due" });
  expect(await person.current()).toBeNull();
});

test("a refund is known however many payments were tried since", async () => {
  const person = await subscribe(life);
  const payment = await paymentOf((await person.invoices())[0].id);
  await life.stripe.refunds.create({ payment_intent: payment });
  await person.sync();
  await Promise.all(
    Array.from({ length: 101 }, () =>
      life.stripe.paymentIntents.create({ customer: person.customer, amount: 499, currency: "usd" }),
    ),
  );
  await person.sync();
  expect(await person.invoices()).toMatchObject([{ amount_refunded: 499 }]);
  expect(await person.current()).toBeNull();
});

test("what was stored before it was known until when a plan gives access is asked about, once", async () => {
  const { pool } = life.database;
  const person = await subscribe(life);
  const forget = "UPDATE customers SET synced_at = now() - interval '2 minutes' WHERE user_id = $1";
  const waiting = async () => {
    await pool.query(forget, [person.userId]);
    await enqueueOverdueSyncs(life.database.db);
    const { rows } = await pool.query("SELECT kind FROM outbox WHERE dedupe_key = $1", [person.customer]);
    return rows.map(({ kind }) => kind);
  };
  expect(await waiting()).toEqual([]);
  await life.stripe.subscriptions.cancel(person.id);
  await pool.query("UPDATE stripe_subscriptions SET access_until = NULL WHERE id = $1", [person.id]);
  expect(await person.current(), "its period gives it").not.toBeNull();
  expect(await waiting()).toEqual(["sync_customer"]);
  await person.sync();
  expect(await person.current()).toBeNull();
  await pool.query("DELETE FROM outbox WHERE dedupe_key = $1", [person.customer]);
  expect(await waiting()).toEqual([]);
});
