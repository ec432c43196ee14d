import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../testing/stripe.ts";
import { openOwnPort } from "./own-port.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

const open = (port: number) => openOwnPort({ port, handleApi: running.sandbox.handleApi, log: () => {} });

function connect(origin: string): Stripe {
  const { hostname, port } = new URL(origin);
  return new Stripe("sk_test_sandbox", { host: hostname, port, protocol: "http", maxNetworkRetries: 0 });
}

test("the SDK reaches it by host and port alone; pages and knobs stay with the site", async () => {
  const own = await open(0);
  const stripe = connect(own.origin);
  const { id } = await stripe.customers.create({ name: "Ada" });
  expect(await running.stripe.customers.retrieve(id)).toMatchObject({ name: "Ada" });
  for (const path of ["/", "/sandbox/stripe/control", "/sandbox/stripe/v1/prices", "/v3/prices"])
    expect((await fetch(own.origin + path)).status).toBe(404);
  expect((await fetch(`${own.origin}/v1/prices`)).status).toBe(401);
  await own.close();
  await expect(stripe.customers.retrieve(id)).rejects.toMatchObject({ type: "StripeConnectionError" });
});

test("it opens although the port is in use", async () => {
  const first = await open(0);
  const second = await open(Number(new URL(first.origin).port));
  expect(second.origin).not.toBe(first.origin);
  for (const { origin } of [first, second])
    expect((await connect(origin).prices.list({ limit: 1 })).data).toHaveLength(1);
  await Promise.all([first.close(), second.close()]);
});
