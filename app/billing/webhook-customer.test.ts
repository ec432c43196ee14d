import { randomUUID } from "node:crypto";
import { drizzle } from "drizzle-orm/node-postgres";
import Stripe from "stripe";
import { expect, test } from "vitest";
import { call, checkoutOf, eventually, pay } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { SITE } from "../../test/site.ts";
import { createPerson, createSignedInUser } from "../../test/users.ts";
import { deletePaymentRecords } from "./end-payments.server.ts";

const SECRET = "whsec_sandbox_only_never_in_production";

const server = sharedServer();

/** Delivers an event about an object. @returns its id, once it is stored */
async function deliver(type: string, object: object): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const id = `evt_${randomUUID()}`;
  const payload = JSON.stringify({ id, object: "event", created: now, type, data: { object } });
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET, timestamp: now });
  const response = await fetch(`${server.origin}/webhooks/stripe`, {
    method: "POST",
    body: payload,
    headers: { "stripe-signature": signature },
  });
  expect(response.status).toBe(200);
  return id;
}

const deliverInvoice = (customer: string) =>
  deliver("invoice.paid", { id: "in_1", object: "invoice", customer });

const deliverDispute = (payment_intent: string) =>
  deliver("charge.dispute.created", { id: "du_1", object: "dispute", payment_intent });

/** When Stripe was last asked about a user, once nothing waits to be. */
async function lastAsked(userId: string): Promise<Date> {
  return eventually(async () => {
    const waiting = await server.pool.query(
      "SELECT FROM outbox WHERE kind = 'sync_customer' AND done_at IS NULL",
    );
    const { rows } = await server.pool.query("SELECT synced_at FROM customers WHERE user_id = $1", [userId]);
    return waiting.rowCount === 0 && rows[0].synced_at;
  }, "Stripe was asked about everything");
}

test("a dispute, which names only its payment, leads to the customer who paid", async () => {
  const { id, cookie } = await createSignedInUser(server.pool);
  const { data } = await (await call(server, checkoutOf(server), cookie)).json();
  await pay(data.url);
  const payment = await eventually(async () => {
    const { rows } = await server.pool.query(
      "SELECT payment_intent_id AS id FROM stripe_invoices WHERE user_id = $1",
      [id],
    );
    return rows[0]?.id;
  }, "the invoice is mirrored");
  const before = await lastAsked(id);
  await deliverDispute("pi_of_somebody_else");
  expect(await lastAsked(id)).toEqual(before);
  await deliverDispute(payment);
  expect((await lastAsked(id)).getTime()).toBeGreaterThan(before.getTime());
});

async function ownerOf(event: string): Promise<string | null> {
  const { rows } = await server.pool.query("SELECT customer_id FROM stripe_events WHERE id = $1", [event]);
  return rows[0].customer_id;
}

async function createCustomer() {
  const person = await createPerson(server.pool);
  const customer = `cus_${randomUUID().replaceAll("-", "")}`;
  await server.pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $2)", [
    person.id,
    customer,
  ]);
  return { ...person, customer };
}

test("an event is its customer’s until their account is deleted; of strangers no number is kept", async () => {
  const { id, customer } = await createCustomer();
  const [event, strangers] = [
    await deliverInvoice(customer),
    await deliverInvoice("cus_of_another_application"),
  ];
  expect([await ownerOf(event), await ownerOf(strangers)]).toEqual([customer, null]);
  await drizzle(server.pool).transaction((tx) => deletePaymentRecords(tx, id, SITE));
  expect(await ownerOf(event)).toBeNull();
  expect(await ownerOf(await deliverInvoice(customer))).toBeNull();
});

test("an event that comes while the account is being deleted waits for that, and leaves no number behind", async () => {
  const { id, customer } = await createCustomer();
  const { pending } = await drizzle(server.pool).transaction(async (tx) => {
    await deletePaymentRecords(tx, id, SITE);
    const pending = deliverInvoice(customer);
    await eventually(async () => {
      const { rowCount } = await server.pool.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%for key share%'`,
      );
      return rowCount === 1;
    }, "the event waits");
    return { pending };
  });
  expect(await ownerOf(await pending)).toBeNull();
});
