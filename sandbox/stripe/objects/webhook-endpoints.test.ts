import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRequestListener } from "@remix-run/node-fetch-server";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
const received: { body: string; signature: string }[] = [];
const listener = createServer(
  createRequestListener(async (request) => {
    received.push({ body: await request.text(), signature: request.headers.get("stripe-signature") ?? "" });
    return new Response();
  }),
);
let url: string;
beforeAll(async () => {
  running = await startTestSandbox();
  await once(listener.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  listener.closeAllConnections();
  await once(listener.close(), "close");
  await running.close();
});

test("each endpoint gets the events it has enabled, signed with its own secret, which is shown once", async () => {
  const { stripe, webhook } = running;
  const created = await stripe.webhookEndpoints.create({
    url,
    enabled_events: ["product.created", "product.deleted"],
    description: "Catalogue",
    metadata: { for: "test" },
  });
  expect(created).toMatchObject({
    object: "webhook_endpoint",
    secret: expect.stringMatching(/^whsec_/),
    status: "enabled",
    description: "Catalogue",
    livemode: false,
  });
  const { secret = "", ...shown } = created;
  expect(await stripe.webhookEndpoints.retrieve(created.id)).toEqual(shown);
  expect((await stripe.webhookEndpoints.list()).data).toEqual([shown]);

  await stripe.customers.create();
  const product = await stripe.products.create({ name: "Lifetime" });
  await expect.poll(() => received).toHaveLength(1);
  const [delivery] = received;
  const event = Stripe.webhooks.constructEvent(delivery?.body ?? "", delivery?.signature ?? "", secret);
  expect(event).toMatchObject({ type: "product.created", data: { object: { id: product.id } } });
  const builtIn = () => webhook.received.find(({ id }) => id === event.id);
  await expect.poll(builtIn).toBeTruthy();
  await expect
    .poll(async () => await stripe.events.retrieve(event.id))
    .toMatchObject({ pending_webhooks: 0 });
});

test("an endpoint that is disabled or deleted gets nothing more, and one that wants all gets all", async () => {
  const { stripe } = running;
  const [endpoint] = (await stripe.webhookEndpoints.list()).data;
  if (!endpoint) throw new Error("There is no endpoint");
  received.length = 0;
  const changed = await stripe.webhookEndpoints.update(endpoint.id, {
    enabled_events: ["*"],
    disabled: true,
  });
  expect(changed).toMatchObject({ status: "disabled", enabled_events: ["*"] });
  await stripe.customers.create();
  await stripe.webhookEndpoints.update(endpoint.id, { disabled: false });
  const { id } = await stripe.customers.create();
  await expect.poll(() => received).toHaveLength(1);
  expect(received[0]?.body).toContain(id);

  const gone = { id: endpoint.id, object: "webhook_endpoint", deleted: true };
  expect(await stripe.webhookEndpoints.del(endpoint.id)).toEqual(gone);
  await expect(stripe.webhookEndpoints.retrieve(endpoint.id)).rejects.toMatchObject({ statusCode: 404 });
  const event = await stripe.customers.create().then(() => stripe.events.list({ limit: 1 }));
  expect(event.data[0]?.pending_webhooks).toBeLessThan(2);
});

test("what cannot be delivered to is refused", async () => {
  const { stripe } = running;
  const create = (fields: Partial<Stripe.WebhookEndpointCreateParams>) =>
    stripe.webhookEndpoints.create({ url, enabled_events: ["*"], ...fields });
  await expect(create({ url: "ftp://127.0.0.1/" })).rejects.toMatchObject({ statusCode: 400, param: "url" });
  await expect(create({ url: "https://own.example/hook" })).rejects.toMatchObject({ statusCode: 501 });
  await expect(create({ enabled_events: [] })).rejects.toMatchObject({ statusCode: 400 });
});

test("events are listed by types, by time, by whether they were delivered, and in both directions", async () => {
  const { stripe } = running;
  const types = ["product.created", "price.created"];
  const all = await stripe.events.list({ types, limit: 100 });
  expect(new Set(all.data.map(({ type }) => type))).toEqual(new Set(types));
  const [newest, second, third] = all.data;
  if (!newest || !second || !third) throw new Error("There are too few events");
  const idsOf = async (params: Stripe.EventListParams) =>
    (await stripe.events.list({ types, ...params })).data.map(({ id }) => id);
  expect(await idsOf({ starting_after: newest.id, limit: 2 })).toEqual([second.id, third.id]);
  expect(await idsOf({ ending_before: third.id, limit: 2 })).toEqual([newest.id, second.id]);
  expect(await idsOf({ ending_before: third.id, limit: 1 })).toEqual([second.id]);
  expect(await idsOf({ created: { gt: newest.created } })).toEqual([]);
  expect(await idsOf({ created: { gte: newest.created, lte: newest.created } })).toContain(newest.id);
  expect(await idsOf({ created: { lt: 1 } })).toEqual([]);
  await expect(stripe.events.list({ type: "product.created", types })).rejects.toMatchObject({
    statusCode: 400,
  });
  await expect(stripe.events.list({ ending_before: "evt_none" })).rejects.toMatchObject({
    param: "ending_before",
  });
});
