import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { drizzle } from "drizzle-orm/node-postgres";
import Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { call, checkoutOf, control, eventually, pay } from "../../test/http.ts";
import { waitForLocks } from "../../test/locks.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { SITE } from "../../test/site.ts";
import { createPerson, createSignedInUsers } from "../../test/users.ts";
import { readConfig } from "../config/config.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { deletePaymentRecords } from "./end-payments.server.ts";
import { BILLING_LIMITS } from "./limits.ts";

const SANDBOX = readConfig({ AUTH_SECRET: "x".repeat(32) }).payments;
const SECRET = SANDBOX.mode === "sandbox" ? SANDBOX.webhookSecret : "";
const stripe = new Stripe("sk_test_unused");

const server = setupServer();
let printed = "";

beforeAll(() => {
  server.child.stdout?.on("data", (chunk) => {
    printed += chunk;
  });
});

let user: { id: string; cookie: string };

beforeEach(async () => {
  [user = { id: "", cookie: "" }] = await createSignedInUsers(server.pool, 1);
});

/** Nothing of earlier payments is still on its way. */
async function allQuiet(): Promise<void> {
  await eventually(async () => {
    const { rows } = await server.pool.query("SELECT count(*)::int AS n FROM outbox WHERE done_at IS NULL");
    return rows[0].n === 0 && (await undelivered()) === 0;
  }, "all events are delivered and handled");
}

async function undelivered(): Promise<number> {
  const { rows } = await server.pool.query("SELECT count(*)::int AS n FROM sandbox_stripe.deliveries");
  return rows[0].n;
}

afterAll(allQuiet);

/** Chooses a plan and pays, and answers where the browser would come back to. */
async function buy(): Promise<string> {
  const { data } = await (await call(server, checkoutOf(server), user.cookie)).json();
  return (await pay(data.url)).headers.get("location") ?? "";
}

async function held(): Promise<{ tier: string; status: string }[]> {
  const { rows } = await server.pool.query(
    "SELECT tier, status FROM stripe_subscriptions WHERE user_id = $1",
    [user.id],
  );
  return rows;
}

/** The events of this user's payment, as the sandbox would deliver them. */
async function eventsOfUser(): Promise<string[]> {
  const { rows } = await server.pool.query(
    "SELECT stripe_customer_id AS id FROM customers WHERE user_id = $1",
    [user.id],
  );
  const response = await fetch(`${server.origin}/sandbox/stripe/v1/events?limit=100`, {
    headers: { authorization: "Bearer sk_test_sandbox" },
  });
  const { data }: { data: Stripe.Event[] } = await response.json();
  return data
    .filter((event) => JSON.stringify(event).includes(rows[0].id))
    .map((event) => JSON.stringify(event));
}

function deliver(
  payload: string | Uint8Array<ArrayBuffer>,
  options: { secret?: string; timestamp?: number; signature?: string } = {},
) {
  const { secret = SECRET, timestamp = Math.floor(Date.now() / 1000) } = options;
  const signature =
    options.signature ??
    stripe.webhooks.generateTestHeaderString({ payload: String(payload), secret, timestamp });
  return fetch(`${server.origin}/webhooks/stripe`, {
    method: "POST",
    body: payload,
    headers: { "stripe-signature": signature, "content-type": "application/json; charset=utf-8" },
  });
}

const now = Math.floor(Date.now() / 1000);
const forged = JSON.stringify({
  id: "evt_forged",
  type: "customer.subscription.updated",
  created: now,
  data: { object: {} },
});

async function counts() {
  const { rows } = await server.pool.query(
    `SELECT (SELECT count(*) FROM stripe_events) AS events, (SELECT count(*) FROM outbox) AS jobs,
            (SELECT count(*) FROM stripe_subscriptions) AS subscriptions`,
  );
  return rows[0];
}

test.each([
  ["another secret", { secret: "whsec_another" }],
  ["a blank secret", { secret: " " }],
  ["a signature from six minutes ago", { timestamp: now - 360 }],
  ["a signature from six minutes ahead", { timestamp: now + 360 }],
  ["no signature", { signature: "" }],
  ["a signature of something else", { signature: `t=${now},v1=${"0".repeat(64)}` }],
  [
    "a body that was touched after signing",
    { signature: stripe.webhooks.generateTestHeaderString({ payload: `${forged} `, secret: SECRET }) },
  ],
])("%s: 400, and nothing changes", async (_what, options) => {
  await allQuiet();
  const before = await counts();
  expect((await deliver(forged, options)).status).toBe(400);
  expect(await counts()).toEqual(before);
});

test("of many refused signatures one line a minute is logged, with nothing of what they brought", async () => {
  await Promise.all(Array.from({ length: 50 }, () => deliver(forged, { secret: "whsec_another" })));
  const lines = () => printed.split("\n").filter((line) => line.includes("their signature is not good"));
  await eventually(async () => lines().length > 0, "the refusal is logged");
  expect(lines().length).toBeLessThan(10);
  expect(JSON.parse(lines()[0] ?? "")).toMatchObject({ level: "warn" });
  expect(printed).not.toMatch(/evt_forged|whsec/);
});

test.each([
  ["no data", { data: undefined }],
  ["null for data", { data: null }],
  ["no object in its data", { data: {} }],
  ["a list for its object", { data: { object: [] } }],
  ["an id with NUL", { id: "evt_\u0000" }],
  ["an id with half a character", { id: "evt_\ud800" }],
  ["a number for its id", { id: 7 }],
  ["an id beyond what is kept", { id: `evt_${"x".repeat(300)}` }],
  ["a type with NUL", { type: "customer.\u0000" }],
  ["words for its time", { created: "yesterday" }],
  ["a time no calendar has", { created: 1e300 }],
  ["a customer with NUL", { data: { object: { customer: "cus_\u0000" } } }],
  ["a customer with half a character", { data: { object: { object: "customer", id: "cus_\udfff" } } }],
  ["a customer without a name", { data: { object: { object: "customer" } } }],
])("a delivery whose signature is good and that has %s: 400, and nothing changes", async (_what, change) => {
  await allQuiet();
  const before = await counts();
  const response = await deliver(JSON.stringify({ ...JSON.parse(forged), ...change }));
  expect([response.status, await response.text()]).toEqual([400, "not an event"]);
  expect(await counts()).toEqual(before);
});

/** Delivers bytes as they are, with a signature of others. */
function deliverBytes(sent: Buffer, signed: Buffer) {
  const hmac = createHmac("sha256", SECRET).update(`${now}.`).update(signed).digest("hex");
  return deliver(new Uint8Array(sent), { signature: `t=${now},v1=${hmac}` });
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
/** An event with a byte in its id that is no UTF-8, and with what that is decoded to. */
const [broken, mended] = [Buffer.of(0xff), Buffer.from("\ufffd")].map((byte) =>
  Buffer.concat([Buffer.from(forged.slice(0, -1)), Buffer.from(',"x":"'), byte, Buffer.from('"}')]),
) as [Buffer, Buffer];

test.each([
  [
    "a BOM that was not signed",
    Buffer.concat([BOM, Buffer.from(forged)]),
    Buffer.from(forged),
    "bad signature",
  ],
  [
    "no BOM where one was signed",
    Buffer.from(forged),
    Buffer.concat([BOM, Buffer.from(forged)]),
    "bad signature",
  ],
  ["bytes that are no UTF-8 for those that were signed", broken, mended, "bad signature"],
  ["U+FFFD for bytes that were signed and are no UTF-8", mended, broken, "bad signature"],
  ["a BOM that was signed", Buffer.concat([BOM, Buffer.from(forged)]), undefined, "not an event"],
  ["bytes that were signed and are no UTF-8", broken, undefined, "not an event"],
])("%s: 400, and nothing changes", async (_what, sent, signed, answer) => {
  await allQuiet();
  const before = await counts();
  const response = await deliverBytes(sent, signed ?? sent);
  expect([response.status, await response.text()]).toEqual([400, answer]);
  expect(await counts()).toEqual(before);
});

test("of several signatures one has to be good, and there is one time", async () => {
  const signature = stripe.webhooks.generateTestHeaderString({ payload: forged, secret: SECRET });
  const [time = "", good = ""] = signature.split(",");
  const wrong = `v1=${"0".repeat(64)}`;
  for (const header of [`${time},${wrong},${good},v0=x`, `${time}, ${good}`])
    expect((await deliver(forged, { signature: header })).status).toBe(200);
  for (const header of [
    `${time},${wrong}`,
    `t=${now - 360},${time},${good}`,
    `${time},t=${now - 360},${good}`,
    `${time},v0=${good.slice(3)}`,
    good,
  ])
    expect([header, (await deliver(forged, { signature: header })).status]).toEqual([header, 400]);
});

test("a delivery that is broken off half way does no harm", async () => {
  const socket = connect(Number(server.port), "127.0.0.1");
  await once(socket, "connect");
  const head = ["POST /webhooks/stripe HTTP/1.1", "Host: localhost", "Content-Type: application/json"];
  socket.write(`${[...head, "Content-Length: 1000"].join("\r\n")}\r\n\r\n{"id":`);
  socket.destroySoon();
  await once(socket, "close");
  expect((await deliver(forged)).status).toBe(200);
});

test.each(["[]", "7", '"evt"', "null", "not JSON"])("%s, signed: 400", async (payload) => {
  expect((await deliver(payload)).status).toBe(400);
});

const PREMIUM = [{ tier: "premium", status: "active" }];

test("the webhook alone brings the subscription", async () => {
  await buy();
  await eventually(async () => (await held()).length === 1, "the subscription arrives");
  expect(await held()).toEqual(PREMIUM);
});

test("each event delivered three times, all at once, before the return page: one subscription", async () => {
  await control(server, { webhooks: "hold" });
  const back = await buy();
  const events = await eventsOfUser();
  expect(events.length).toBeGreaterThanOrEqual(2);
  const deliveries = await Promise.all(
    [...events, ...events.toReversed(), ...events].map((event) => deliver(event)),
  );
  expect(new Set(deliveries.map((response) => response.status))).toEqual(new Set([200]));
  await eventually(async () => (await held()).length === 1, "the subscription arrives");
  await fetch(back, { headers: { cookie: user.cookie }, redirect: "manual" });
  expect(await held()).toEqual(PREMIUM);
  await control(server, { webhooks: "deliver" });
});

test("the return page first, and the same events three times after it: one subscription", async () => {
  await control(server, { webhooks: "hold" });
  const back = await buy();
  const page = await fetch(back, { headers: { cookie: user.cookie }, redirect: "manual" });
  expect(page.headers.get("location")).toBe("/dashboard?paid=1");
  expect(await held()).toEqual(PREMIUM);
  for (const event of await eventsOfUser()) {
    for (let time = 0; time < 3; time++) expect((await deliver(event)).status).toBe(200);
  }
  await control(server, { webhooks: "deliver" });
  await eventually(async () => (await findViolations(server.pool)).length === 0, "every event is handled");
  expect(await held()).toEqual(PREMIUM);
});

test("an event that is delivered again asks Stripe again, whatever became of the first delivery", async () => {
  await control(server, { webhooks: "hold" });
  await buy();
  const [event = ""] = await eventsOfUser();
  expect((await deliver(event)).status).toBe(200);
  await eventually(async () => (await held()).length === 1, "the subscription arrives");
  // As if the first answer of Stripe had been behind.
  await server.pool.query("DELETE FROM stripe_subscriptions WHERE user_id = $1", [user.id]);
  expect((await deliver(event)).status).toBe(200);
  await eventually(async () => (await held()).length === 1, "the subscription arrives again");
  await control(server, { webhooks: "deliver" });
});

test("hundreds of changed names do not keep a payment from being seen", async () => {
  await control(server, { webhooks: "hold" });
  await buy();
  const [event = ""] = await eventsOfUser();
  await server.pool.query(
    `INSERT INTO outbox (kind, payload, run_at)
     SELECT 'update_customer', jsonb_build_object('userId', $1::text), now() - interval '1 hour' FROM generate_series(1, 1200)`,
    [user.id],
  );
  await deliver(event);
  await eventually(async () => (await held()).length === 1, "the subscription arrives");
  const { rows } = await server.pool.query(
    "DELETE FROM outbox WHERE kind = 'update_customer' AND done_at IS NULL RETURNING id",
  );
  expect(rows.length).toBeGreaterThan(600);
  await control(server, { webhooks: "deliver" });
});

test("of many looks at the return page at once one asks Stripe, and past the limit nobody does", async () => {
  await control(server, { webhooks: "hold" });
  const { data } = await (await call(server, checkoutOf(server), user.cookie)).json();
  const id = new URL(data.url).pathname.split("/").at(-1);
  const look = () =>
    fetch(`${server.origin}/dashboard?session_id=${id}`, {
      headers: { cookie: user.cookie },
      redirect: "manual",
    });
  const tickets = async () =>
    Number((await server.pool.query("SELECT last_value FROM sync_ticket")).rows[0].last_value);
  const [{ count, seconds }] = BILLING_LIMITS.paymentChecksByUser.windows;
  const begun = Date.now();
  const before = await tickets();
  await Promise.all(Array.from({ length: 30 }, look));
  for (let time = 0; time < 40; time++) {
    const page = await look();
    expect([page.status, page.headers.get("location")]).toEqual([302, "/subscription"]);
  }
  // One for all at once and one for each after: on a busy machine those take longer than one window.
  const windows = 1 + Math.floor((Date.now() - begun) / 1000 / seconds);
  expect((await tickets()) - before).toBeLessThanOrEqual(Math.min(count * windows, 40));
  await control(server, { webhooks: "deliver" });
});

test("a payment that is not confirmed for ten minutes: the page says so, and leaves looking to the person", async () => {
  await control(server, { webhooks: "hold" });
  const back = await buy();
  await control(server, { api: "down" });
  const look = async () => (await fetch(back, { headers: { cookie: user.cookie } })).text();
  const first = await look();
  expect(first).toContain("Confirming your payment…");
  expect(first).toContain('<meta http-equiv="refresh" content="3"/>');
  await server.pool.query(
    "UPDATE checkout_attempts SET returned_at = now() - interval '11 minutes' WHERE user_id = $1",
    [user.id],
  );
  const late = await look();
  expect(late).toContain("Your payment isn’t confirmed yet");
  expect(late).toMatch(/<a href="\/dashboard"[^>]*>Check again<\/a>/);
  expect(late).not.toContain("http-equiv");
  await control(server, { api: "up", webhooks: "deliver" });
  await eventually(async () => (await held()).length === 1, "the subscription arrives");
});

test("an old return page, opened after the subscription has gone, waits for nothing", async () => {
  const back = await buy();
  await eventually(async () => (await held()).length === 1, "the subscription arrives");
  const { rows } = await server.pool.query("SELECT id FROM stripe_subscriptions WHERE user_id = $1", [
    user.id,
  ]);
  await fetch(`${server.origin}/sandbox/stripe/v1/subscriptions/${rows[0].id}`, {
    method: "DELETE",
    headers: { authorization: "Bearer sk_test_sandbox" },
  });
  await eventually(async () => (await held())[0]?.status === "canceled", "the end arrives");
  const page = await fetch(back, { headers: { cookie: user.cookie }, redirect: "manual" });
  expect(page.headers.get("location")).toBe("/dashboard");
});

test("another user's return page shows them nothing and gives them nothing", async () => {
  await control(server, { webhooks: "hold" });
  const back = await buy();
  const [thief] = await createSignedInUsers(server.pool, 1);
  const page = await fetch(back, { headers: { cookie: thief?.cookie ?? "" }, redirect: "manual" });
  expect(page.headers.get("location")).toBe("/dashboard");
  const { rows } = await server.pool.query("SELECT * FROM user_subscriptions WHERE user_id = $1", [
    thief?.id,
  ]);
  expect(rows).toEqual([]);
  await control(server, { webhooks: "deliver" });
});

test("an event about no user of this site is kept and handled", async () => {
  const payload = forged
    .replace("evt_forged", "evt_foreign")
    .replace('"object":{}', '"object":{"customer":"cus_foreign"}');
  expect((await deliver(payload)).status).toBe(200);
  await eventually(async () => {
    const { rows } = await server.pool.query("SELECT handled_at FROM stripe_events WHERE id = 'evt_foreign'");
    return rows[0]?.handled_at instanceof Date;
  }, "the event is handled");
});

/** Delivers an event about an object. @returns its id, once it is stored */
async function deliverEvent(type: string, object: object): Promise<string> {
  const id = `evt_${randomUUID()}`;
  const created = Math.floor(Date.now() / 1000);
  expect((await deliver(JSON.stringify({ id, type, created, data: { object } }))).status).toBe(200);
  return id;
}

const deliverInvoice = (customer: string) =>
  deliverEvent("invoice.paid", { id: "in_1", object: "invoice", customer });

const deliverDispute = (payment_intent: string) =>
  deliverEvent("charge.dispute.created", { id: "du_1", object: "dispute", payment_intent });

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
  const { id } = user;
  await buy();
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
    await waitForLocks(server.pool, 1, "%for key share%");
    return { pending };
  });
  expect(await ownerOf(await pending)).toBeNull();
});
