import { randomUUID } from "node:crypto";
import Stripe from "stripe";
import { expect, test } from "vitest";
import { call, checkoutOf, eventually, pay } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createSignedInUser } from "../../test/users.ts";

const SECRET = "whsec_sandbox_only_never_in_production";

const server = sharedServer();

/** A delivery of Stripe's about a dispute, which names the payment and no customer. */
async function deliverDispute(payment_intent: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const id = `evt_${randomUUID()}`;
  const object = { id: "du_1", object: "dispute", payment_intent };
  const payload = JSON.stringify({
    ...{ id, object: "event", created: now },
    ...{ type: "charge.dispute.created", data: { object } },
  });
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: SECRET, timestamp: now });
  const headers = { "stripe-signature": signature };
  const response = await fetch(`${server.origin}/webhooks/stripe`, {
    method: "POST",
    body: payload,
    headers,
  });
  expect(response.status).toBe(200);
}

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
