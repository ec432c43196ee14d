import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { createRequestListener } from "@remix-run/node-fetch-server";
import pg from "pg";
import Stripe from "stripe";
import type { Plan } from "../stripe/catalogue.ts";
import { openStripeSandbox } from "../stripe/stripe.ts";
import { createDatabase } from "./database.ts";
import { SAMPLE_PLANS } from "./plans.ts";

const SECRET_KEY = "sk_test_sandbox";
const WEBHOOK_SECRET = "whsec_sandbox";

/** A sandbox on a database of its own, the official SDK connected to it, and a webhook that verifies signatures. */
export async function startTestSandbox(plans: readonly Plan[] = SAMPLE_PLANS) {
  const database = await createDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  const webhook = await startWebhook();
  const server = createServer();
  const origin = await listen(server);
  const options = {
    pool,
    publicOrigin: origin,
    webhookUrl: webhook.url,
    webhookSecret: WEBHOOK_SECRET,
    secretKey: SECRET_KEY,
    plans,
    ending: new AbortController().signal,
    log: (message: string) => void logged.push(message),
  };
  const logged: string[] = [];
  const sandbox = await openStripeSandbox(options);
  // Its API without a path, and all of it below /sandbox/stripe, as in the product.
  const answer = (request: Request) =>
    new URL(request.url).pathname.startsWith("/v") ? sandbox.handleApi(request) : sandbox.handle(request);
  server.on("request", createRequestListener(answer, { onError: () => undefined }));
  sandbox.start();

  async function close(): Promise<void> {
    await sandbox.close();
    for (const each of [server, webhook.server]) each.closeAllConnections();
    await Promise.all([server, webhook.server].map((each) => once(each.close(), "close")));
    await pool.end();
    await database.drop();
  }

  return { origin, pool, options, sandbox, webhook, logged, stripe: connectStripe(origin), close };
}

/** The official SDK with no more than its own options: only the address differs from the real Stripe. */
export function connectStripe(origin: string, key = SECRET_KEY): Stripe {
  const { hostname: host, port } = new URL(origin);
  return new Stripe(key, {
    apiVersion: Stripe.API_VERSION,
    host,
    port,
    protocol: "http",
    telemetry: false,
    maxNetworkRetries: 0,
  });
}

/** Turns knobs: see README.md. */
export function setKnobs({ origin }: { origin: string }, knobs: object): Promise<Response> {
  return fetch(`${origin}/sandbox/stripe/control`, { method: "POST", body: JSON.stringify(knobs) });
}

/** The SDK with a late answer: a list is requested at once, and returned only after `handOver`. */
export function withHeldList(stripe: Stripe, resource: "prices" | "subscriptions") {
  const asked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const list = (...params: unknown[]) => {
    const answer = Reflect.apply(stripe[resource].list, stripe[resource], params).autoPagingToArray({
      limit: 100,
    });
    answer.then(() => asked.resolve());
    return { autoPagingToArray: () => released.promise.then(() => answer) };
  };
  const held = new Proxy(stripe[resource], {
    get: (target, key) => (key === "list" ? list : Reflect.get(target, key)),
  });
  const client = new Proxy(stripe, {
    get: (target, key) => (key === resource ? held : Reflect.get(target, key)),
  });
  return { client, asked: asked.promise, handOver: released.resolve };
}

/** A customer with an open checkout of one plan. */
export async function openCheckout(stripe: Stripe, price = "price_csv_banking_yearly") {
  const customer = await stripe.customers.create({ email: "ada@example.com" });
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    customer: customer.id,
    line_items: [{ price, quantity: 1 }],
    success_url: "http://shop.example/dashboard?session={CHECKOUT_SESSION_ID}",
    cancel_url: "http://shop.example/subscription",
  });
  return { customer: customer.id, id: session.id, url: session.url ?? "" };
}

/** Presses a button of the hosted page, without following where it leads. Paying takes a card that succeeds. */
export function press(url: string, button: string, fields: Record<string, string> = {}): Promise<Response> {
  return fetch(button ? `${url}/${button}` : url, {
    method: "POST",
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
}

/** The text of a page, without markup. */
export async function textOf(page: Response | Promise<Response>): Promise<string> {
  const markup = await (await page).text();
  return markup.replace(/<style>.*<\/style>|<[^>]*>/gs, " ").replace(/\s+/g, " ");
}

export async function cardsOf(pool: pg.Pool, customer: string): Promise<Stripe.PaymentMethod[]> {
  const { rows } = await pool.query<{ object: Stripe.PaymentMethod }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'payment_method' AND object->>'customer' = $1 ORDER BY sequence DESC`,
    [customer],
  );
  return rows.map(({ object }) => object);
}

/** The newest events of a type, of all that there are. */
export async function eventsOf(stripe: Stripe, type: string): Promise<Stripe.Event[]> {
  const events = await stripe.events.list({ limit: 100 }).autoPagingToArray({ limit: 2_000 });
  return events.filter((event) => event.type === type);
}

/** Collects every event whose signature is valid, and answers with the status that is set. */
async function startWebhook() {
  const webhook = {
    url: "",
    status: 200,
    delayMs: 0,
    attempts: 0,
    received: [] as Stripe.Event[],
    server: createServer(),
  };
  webhook.server.on(
    "request",
    createRequestListener(async (request) => {
      const signature = request.headers.get("stripe-signature") ?? "";
      const event = Stripe.webhooks.constructEvent(await request.text(), signature, WEBHOOK_SECRET);
      webhook.attempts += 1;
      await setTimeout(webhook.delayMs);
      if (webhook.status === 200) webhook.received.push(event);
      return new Response(null, { status: webhook.status });
    }),
  );
  webhook.url = `${await listen(webhook.server)}/webhooks/stripe`;
  return webhook;
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
