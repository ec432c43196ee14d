import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createPerson } from "../../test/users.ts";
import { type ReceivedEvent, storeEvent } from "./store-event.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(() => database.pool.query("TRUNCATE stripe_events, outbox"));

afterAll(() => database.close());

const eventOf = (customer: string | null, changes: Partial<ReceivedEvent> = {}): ReceivedEvent => ({
  id: `evt_${randomUUID()}`,
  type: "invoice.paid",
  created: 1_790_000_000,
  isOfCatalogue: false,
  customer,
  payment: null,
  ...changes,
});

const store = (event: ReceivedEvent) => storeEvent(database.db, event);

async function createCustomer(): Promise<string> {
  const { id } = await createPerson(database.pool);
  const customer = `cus_${randomUUID().replaceAll("-", "")}`;
  await database.pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $2)", [
    id,
    customer,
  ]);
  return customer;
}

async function jobs(): Promise<Map<string, Set<string>>> {
  const { rows } = await database.pool.query(
    "SELECT dedupe_key AS key, event_ids AS events FROM outbox ORDER BY id",
  );
  return new Map(rows.map(({ key, events }) => [key, new Set<string>(events)]));
}

test("hundreds of deliveries at once, some of them twice: each event is stored, and one job for each customer knows all of theirs", async () => {
  const customers = [await createCustomer(), await createCustomer(), "cus_of_strangers"];
  const events = Array.from({ length: 300 }, (_, index) => eventOf(customers[index % 3] ?? null));
  const others = [eventOf(null), eventOf(null, { isOfCatalogue: true, type: "price.updated" })];
  const delivered = [...events, ...events.slice(0, 100), ...others];
  await Promise.all(delivered.map(store));
  const idsOf = (customer: string) =>
    new Set(events.filter((event) => event.customer === customer).map(({ id }) => id));
  expect(await jobs()).toEqual(
    new Map([
      ...customers.map((customer) => [customer, idsOf(customer)] as const),
      ["catalogue", new Set([others[1]?.id ?? ""])],
    ]),
  );
  const { rows } = await database.pool.query(
    `SELECT customer_id AS customer, handled_at IS NOT NULL AS handled, count(*)::int AS n
     FROM stripe_events GROUP BY 1, 2 ORDER BY n DESC, customer`,
  );
  expect(rows).toEqual(
    expect.arrayContaining([
      ...customers.slice(0, 2).map((customer) => ({ customer, handled: false, n: 100 })),
      // Those of strangers, without their number, and that of the catalogue.
      { customer: null, handled: false, n: 101 },
      { customer: null, handled: true, n: 1 },
    ]),
  );
});

test.each([
  ["whose account is being deleted", "SELECT FROM customers WHERE stripe_customer_id = $1 FOR UPDATE"],
  ["whose waiting job is locked", "SELECT FROM outbox WHERE dedupe_key = $1 FOR UPDATE"],
])("an event of a customer %s waits for that, and those beside it do not", async (_who, lock) => {
  const [held, other] = [await createCustomer(), await createCustomer()];
  await store(eventOf(held));
  const holder = await database.pool.connect();
  await holder.query("BEGIN");
  await holder.query(lock, [held]);
  const theirs = eventOf(held);
  const waits = store(theirs);
  await Promise.all(Array.from({ length: 20 }, () => store(eventOf(other))));
  expect((await jobs()).get(held)?.has(theirs.id)).toBe(false);
  await holder.query("COMMIT");
  holder.release();
  await waits;
  expect((await jobs()).get(held)?.has(theirs.id)).toBe(true);
  expect((await jobs()).get(other)?.size).toBe(20);
});

test("an event that comes again finds its job done, and asks for another", async () => {
  const event = eventOf(await createCustomer());
  await store(event);
  await database.pool.query("UPDATE outbox SET done_at = now(), dedupe_key = NULL, event_ids = '{}'");
  await store(event);
  expect((await jobs()).get(event.customer ?? "")).toEqual(new Set([event.id]));
});

test("an event that names only a payment, as of a refund or a dispute, is that of its payer", async () => {
  const customer = await createCustomer();
  await database.pool.query(
    `INSERT INTO stripe_invoices (id, user_id, status, currency, total, amount_due, amount_paid, payment_intent_id, created_at, sync_ticket)
     SELECT 'in_paid', user_id, 'paid', 'usd', 499, 499, 499, 'pi_known', now(), 1 FROM customers WHERE stripe_customer_id = $1`,
    [customer],
  );
  const [theirs, unknown] = ["pi_known", "pi_of_strangers"].map((payment) =>
    eventOf(null, { type: "charge.refunded", payment }),
  );
  for (const event of [theirs, unknown]) if (event) await store(event);
  expect(await jobs()).toEqual(new Map([[customer, new Set([theirs?.id])]]));
});
