import { expect, test } from "vitest";
import { requestPlanChange } from "../plan/apply-plan-change.server.ts";
import { listInvoices } from "../plan/plan-overview.server.ts";
import { DAY_SECONDS, setupLife, subscribe } from "./life.fixture.ts";
import { enqueueOverdueSyncs } from "./overdue.server.ts";

const life = setupLife();

const paymentOf = async (invoice: string) => {
  const { data } = await life.stripe.invoicePayments.list({ invoice });
  return String(data[0]?.payment.payment_intent);
};

test("a first payment: the invoice, the card, the next payment, and one receipt however often it is synced", async () => {
  const person = await subscribe(life);
  await Promise.all(Array.from({ length: 10 }, () => person.sync()));
  expect(await person.invoices()).toMatchObject([
    {
      subscription_id: person.id,
      number: expect.any(String),
      status: "paid",
      billing_reason: "subscription_create",
      price_id: "price_csv_banking_monthly",
      total: 499,
      amount_due: 499,
      amount_paid: 499,
      amount_refunded: 0,
      currency: "usd",
      hosted_url: expect.stringMatching(/^http/),
      pdf_url: expect.stringMatching(/^http/),
      payment_intent_id: expect.stringMatching(/^pi_/),
      needs_authentication: false,
    },
  ]);
  const [invoice] = await person.invoices();
  const subscription = await person.subscription();
  expect(invoice.period_end).toEqual(subscription.current_period_end);
  expect(subscription).toMatchObject({
    status: "active",
    next_amount: 499,
    next_payment_at: subscription.current_period_end,
  });
  const { rows: known } = await life.database.pool.query("SELECT * FROM customers WHERE user_id = $1", [
    person.userId,
  ]);
  expect(known[0]).toMatchObject({ card_brand: "visa", card_last4: "4242" });
  const [mail, ...more] = await person.mails();
  expect(mail?.subject).toBe("Receipt: $4.99 for CSV + Banking");
  expect(mail?.text).toContain("Thank you. You paid $4.99 for CSV + Banking, from");
  expect(mail?.text).toContain(` (invoice ${invoice.number}).`);
  expect(mail?.text).toContain("Your next payment is $4.99 on");
  expect(mail?.action?.url).toBe(invoice.hosted_url);
  expect(more).toEqual([]);
});

test("a renewal: its own invoice and its own receipt", async () => {
  const person = await subscribe(life);
  await person.pass(32);
  expect(await person.invoices()).toMatchObject([
    { billing_reason: "subscription_create" },
    { billing_reason: "subscription_cycle", status: "paid" },
  ]);
  const mails = await person.mails();
  expect(mails).toHaveLength(2);
  expect(mails[1]?.text).toContain("You paid $4.99 to renew CSV + Banking");
});

test("a renewal that fails: past due with grace, one mail, and a receipt when it recovers", async () => {
  const person = await subscribe(life);
  await person.payWith("pm_card_chargeCustomerFail");
  await person.pass(32);
  const subscription = await person.subscription();
  const [, invoice] = await person.invoices();
  expect(subscription).toMatchObject({ status: "past_due", next_amount: 499 });
  expect(invoice).toMatchObject({ status: "open", attempt_count: 1 });
  expect(subscription.access_until.getTime() - invoice.created_at.getTime()).toBe(7 * DAY_SECONDS * 1000);
  await person.pass(4);
  await Promise.all([person.sync(), person.sync()]);
  const failed = (await person.mails())[1];
  expect(await person.subjects()).toHaveLength(2);
  expect(failed?.subject).toBe("Your payment for CSV + Banking didn’t go through");
  expect(failed?.text).toContain("We couldn’t charge $4.99 to your Visa ending in 0341.");
  expect(failed?.action?.url).toBe(invoice.hosted_url);

  await person.payWith("pm_card_mastercard");
  await person.pass(2);
  expect(await person.subscription()).toMatchObject({ status: "active" });
  expect((await person.mails())[2]?.text).toContain("Your payment went through this time");
  expect(await person.subjects()).toHaveLength(3);
});

test("a renewal that is never paid ends the plan, which is said", async () => {
  const person = await subscribe(life);
  await person.payWith("pm_card_chargeCustomerFail");
  await person.pass(32);
  await person.pass(15);
  expect(await person.subscription()).toMatchObject({ status: "canceled" });
  expect(await person.current()).toBeNull();
  const mails = await person.mails();
  expect(mails.map(({ subject }) => subject)).toEqual([
    "Receipt: $4.99 for CSV + Banking",
    "Your payment for CSV + Banking didn’t go through",
    "CSV + Banking has ended",
  ]);
  expect(mails[2]?.text).toContain("because we couldn’t collect the payment");
});

test("a bank that wants to hear from the customer: told so, with the page to do it on", async () => {
  const person = await subscribe(life);
  await person.payWith("pm_card_authenticationRequired");
  await person.pass(32);
  await person.sync();
  const [, invoice] = await person.invoices();
  expect(invoice).toMatchObject({ status: "open", needs_authentication: true });
  const [, mail, ...more] = await person.mails();
  expect(mail?.subject).toBe("Confirm your payment for CSV + Banking");
  expect(mail?.action?.url).toBe(invoice.hosted_url);
  expect(more).toEqual([]);
});

test("refunds: a partial one changes nothing, the rest ends access; each is told once", async () => {
  const person = await subscribe(life);
  const payment = await paymentOf((await person.invoices())[0].id);
  await life.stripe.refunds.create({ payment_intent: payment, amount: 100 });
  await Promise.all([person.sync(), person.sync()]);
  expect(await person.current()).toMatchObject({ tier: "premium" });
  expect(await person.invoices()).toMatchObject([{ amount_refunded: 100 }]);
  await life.stripe.refunds.create({ payment_intent: payment });
  await Promise.all([person.sync(), person.sync()]);
  await person.sync();
  expect(await person.current()).toBeNull();
  const mails = (await person.mails()).slice(1);
  expect(mails.map(({ subject }) => subject)).toEqual(["We refunded $1.00", "We refunded $3.99"]);
  expect(mails[0]?.text).toContain("CSV + Banking continues as before.");
  expect(mails[1]?.text).toContain("CSV + Banking has ended, and you won’t be charged again.");
  await life.stripe.subscriptions.cancel(person.id);
  await person.sync();
  expect(await person.subjects(), "the end is told already").toHaveLength(3);
});

test("a dispute that is lost ends access; while it is open nothing does", async () => {
  const person = await subscribe(life, { card: "pm_card_createDispute" });
  expect(await person.invoices()).toMatchObject([{ dispute_status: "needs_response" }]);
  expect(await person.current()).toMatchObject({ tier: "premium" });
  const { data } = await life.stripe.disputes.list({
    payment_intent: (await person.invoices())[0].payment_intent_id,
  });
  await fetch(`${life.sandbox.origin}/sandbox/stripe/control/disputes`, {
    method: "POST",
    body: JSON.stringify({ dispute: data[0]?.id, status: "lost" }),
  });
  await person.sync();
  expect(await person.invoices()).toMatchObject([{ dispute_status: "lost" }]);
  expect(await person.current()).toBeNull();
});

test("what happened more than a week ago is mirrored, and not mailed", async () => {
  const person = await subscribe(life, { startDay: -20 });
  expect(await person.invoices()).toMatchObject([{ status: "paid" }]);
  expect(await person.subjects()).toEqual([]);
  const recent = await subscribe(life, { startDay: -6 });
  expect(await recent.subjects()).toHaveLength(1);
});

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

test("a plan cancelled while a payment was due can no longer be paid", async () => {
  const person = await subscribe(life);
  await person.payWith("pm_card_chargeCustomerFail");
  await person.pass(32);
  expect(await person.subscription()).toMatchObject({ status: "past_due" });
  const asked = await requestPlanChange(life.appWith(), person.userId, {
    kind: "cancel",
    reason: null,
    comment: null,
  });
  expect(asked).toEqual({ ok: true });
  expect(await person.subscription()).toMatchObject({ status: "canceled" });
  const { data } = await life.stripe.invoices.list({ customer: person.customer });
  expect(data.map(({ status }) => status)).toEqual(["void", "paid"]);
});

test("an invoice of a plan that has ended leads to no page to pay it on", async () => {
  const person = await subscribe(life);
  await person.payWith("pm_card_chargeCustomerFail");
  await person.pass(32);
  await person.pass(15);
  expect(await person.subscription()).toMatchObject({ status: "canceled" });
  const [unpaid, paid] = await listInvoices(life.database.db, person.userId, 10);
  expect(unpaid).toMatchObject({ status: "open", hostedUrl: null });
  expect(paid).toMatchObject({ status: "paid", hostedUrl: expect.any(String) });
});
