import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { readConfig } from "../config/config.server.ts";

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

function deliver(payload: string, options: { secret?: string; timestamp?: number; signature?: string } = {}) {
  const { secret = SECRET, timestamp = Math.floor(Date.now() / 1000) } = options;
  const signature =
    options.signature ?? stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  return fetch(`${server.origin}/webhooks/stripe`, {
    method: "POST",
    body: payload,
    headers: { "stripe-signature": signature },
  });
}

async function counts() {
  const { rows } = await server.pool.query(
    `SELECT (SELECT count(*) FROM stripe_events) AS events, (SELECT count(*) FROM outbox) AS jobs,
            (SELECT count(*) FROM stripe_subscriptions) AS subscriptions`,
  );
  return rows[0];
}

const now = Math.floor(Date.now() / 1000);
const forged = JSON.stringify({
  id: "evt_forged",
  type: "customer.subscription.updated",
  created: now,
  data: { object: {} },
});

test.each([
  ["another secret", { secret: "whsec_another" }],
  ["a blank secret", { secret: " " }],
  ["a signature from six minutes ago", { timestamp: now - 360 }],
  ["a signature from six minutes ahead", { timestamp: now + 360 }],
  ["no signature", { signature: "" }],
  ["a signature of something else", { signature: `t=${now},v1=${"0".repeat(64)}` }],
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
  expect(JSON.parse(lines()[0] ?? "")).toMatchObject({ level: "warn", count: 1 });
  expect(printed).not.toMatch(/evt_forged|whsec/);
});

test("a body that was touched after signing: 400", async () => {
  const signature = stripe.webhooks.generateTestHeaderString({ payload: forged, secret: SECRET });
  expect((await deliver(`${forged} `, { signature })).status).toBe(400);
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

test.each(["[]", "7", '"evt"', "null", "not JSON"])("%s, signed: 400", async (payload) => {
  expect((await deliver(payload)).status).toBe(400);
});
