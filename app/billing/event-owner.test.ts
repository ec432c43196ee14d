import { randomUUID } from "node:crypto";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { SITE } from "../../test/site.ts";
import { createPerson } from "../../test/users.ts";
import { createLog } from "../log/log.server.ts";
import { deletePaymentRecords } from "./end-payments.server.ts";
import { receiveDelivery } from "./webhook.server.ts";

const SECRET = "whsec_of_this_test";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

/** Delivers an event about a customer. @returns its id, once it is stored */
async function deliver(customer: string): Promise<string> {
  const [id, now] = [`evt_${randomUUID()}`, Math.floor(Date.now() / 1000)];
  const object = { id: "in_1", object: "invoice", customer };
  const payload = JSON.stringify({
    ...{ id, object: "event", created: now, type: "invoice.paid", data: { object } },
  });
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET, timestamp: now });
  const payments = {
    ...{ isOn: true as const, stripe: new Stripe("sk_test_1"), webhookSecret: SECRET, checkoutOrigins: [] },
  };
  const app = { db: database.db, log: createLog("silent"), payments };
  expect((await receiveDelivery(app, Buffer.from(payload), signature)).status).toBe(200);
  return id;
}

async function ownerOf(event: string): Promise<string | null> {
  const { rows } = await database.pool.query("SELECT customer_id FROM stripe_events WHERE id = $1", [event]);
  return rows[0].customer_id;
}

async function createCustomer() {
  const person = await createPerson(database.pool);
  const customer = `cus_${randomUUID().replaceAll("-", "")}`;
  await database.pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $2)", [
    person.id,
    customer,
  ]);
  return { ...person, customer };
}

test("an event is its customer’s until their account is deleted; of strangers no number is kept", async () => {
  const { id, customer } = await createCustomer();
  const [event, strangers] = [await deliver(customer), await deliver("cus_of_another_application")];
  expect([await ownerOf(event), await ownerOf(strangers)]).toEqual([customer, null]);
  await database.db.transaction((tx) => deletePaymentRecords(tx, id, SITE));
  expect(await ownerOf(event)).toBeNull();
  expect(await ownerOf(await deliver(customer))).toBeNull();
});

test("an event that comes while the account is being deleted waits for that, and leaves no number behind", async () => {
  const { id, customer } = await createCustomer();
  const { pending } = await database.db.transaction(async (tx) => {
    await deletePaymentRecords(tx, id, SITE);
    const pending = deliver(customer);
    await eventually(async () => {
      const { rowCount } = await database.pool.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%for key share%'`,
      );
      return rowCount === 1;
    }, "the event waits");
    return { pending };
  });
  expect(await ownerOf(await pending)).toBeNull();
});
