import { eq, inArray, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { z } from "zod";
import type { Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { NO_TELEMETRY } from "../telemetry/telemetry.ts";
import { SYNC_CATALOGUE, SYNC_CUSTOMER } from "./job-kinds.server.ts";
import { customers, stripeEvents, stripeInvoices } from "./schema.ts";

/** Maximum difference between the signature's time and ours, either way, in seconds (Stripe's default for the past). */
const TOLERANCE_SECONDS = 300;
/** Minimum time between two log lines about bad signatures. */
const LOG_INTERVAL_MILLISECONDS = 60_000;

/** An identifier of Stripe's, restricted to characters PostgreSQL can store. */
const stripeId = z.string().regex(/^[\w.-]{1,255}$/);

/** An object's id, or the object itself where it is expanded. */
const stripeReference = z.union([stripeId, z.object({ id: stripeId })]).nullish();

/** The parts of an event that are read (https://docs.stripe.com/api/events/object). */
const stripeEvent = z.object({
  id: stripeId,
  type: stripeId,
  /** In seconds since 1970. */
  created: z.int().min(0).max(253_402_300_799),
  data: z.object({
    object: z.union([
      z.object({ object: z.literal("customer"), id: stripeId }),
      z.object({
        object: z
          .string()
          .max(255)
          .optional()
          .refine((kind) => kind !== "customer"),
        customer: stripeReference,
        payment_intent: stripeReference,
      }),
    ]),
  }),
});

type Receiver = Pick<App, "db" | "log" | "payments">;

/**
 * Receives one delivery: verifies the signature over the raw bytes, then stores the event and enqueues its job in one
 * transaction. The payload only says which customer to sync, so order and repetition of events cannot matter.
 *
 * @returns 200 when the event is stored, now or before; 400 for a bad signature or a payload that is no event; 503
 *   while payments are off. Our own failures throw: the 500 makes Stripe deliver again.
 */
export async function receiveStripeEvent(
  app: Receiver & Partial<Pick<App, "telemetry">>,
  request: Request,
): Promise<Response> {
  const { meters } = app.telemetry ?? NO_TELEMETRY;
  const count = (result: Result | "failed") => meters.record("stripe_webhooks_total", { result });
  try {
    const result = await receive(app, request);
    count(result);
    const [text, status] = ANSWERS[result];
    return textResponse(text, status);
  } catch (error) {
    count("failed");
    throw error;
  }
}

const ANSWERS = {
  accepted: ["kept", 200],
  bad_signature: ["bad signature", 400],
  not_an_event: ["not an event", 400],
  off: ["payments are off", 503],
} as const;

type Result = keyof typeof ANSWERS;

async function receive(app: Receiver, request: Request): Promise<Result> {
  const { payments } = app;
  if (!payments.isOn || payments.webhookSecret === "") return "off";

  const body = Buffer.from(await request.arrayBuffer());
  const signature = request.headers.get("stripe-signature") ?? "";
  const event = verifySignature(payments.stripe, body, signature, payments.webhookSecret);
  if (!event) {
    logBadSignature(app.log);
    return "bad_signature";
  }
  if (!stripeEvent.safeParse(event).success) {
    app.log.warn("a delivery with a good signature was no event");
    return "not_an_event";
  }

  await app.db.transaction(async (tx) => {
    const customer = isOfCatalogue(event) ? null : await findCustomerOf(tx, event);
    const customerId = customer && (await isOurs(tx, customer)) ? customer : null;
    await tx
      .insert(stripeEvents)
      .values({ id: event.id, type: event.type, created: new Date(event.created * 1000), customerId })
      .onConflictDoNothing();
    // For a repeated delivery too: Stripe or the operator may resend an event because its job had no effect.
    await enqueueSync(tx, event, customer);
  });
  return "accepted";
}

/** Records that the jobs of these events are done. */
export async function markEventsHandled(db: Queryable, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await db.update(stripeEvents).set({ handledAt: sql`now()` }).where(inArray(stripeEvents.id, eventIds));
}

const isOfCatalogue = ({ type }: Stripe.Event) => /^(product|price)\./.test(type);

async function enqueueSync(
  tx: Queryable,
  event: Stripe.Event,
  stripeCustomerId: string | null,
): Promise<void> {
  if (isOfCatalogue(event)) await enqueue(tx, SYNC_CATALOGUE, {}, event.id);
  else if (stripeCustomerId) await enqueue(tx, SYNC_CUSTOMER, { stripeCustomerId }, event.id);
  else await markEventsHandled(tx, [event.id]);
}

/**
 * Whether a customer is one of ours, who stays one until the event is stored: whoever deletes their account then finds the event
 * as well. Of others, such as those deleted before, no number is kept.
 */
async function isOurs(tx: Queryable, stripeCustomerId: string): Promise<boolean> {
  const ours = await tx
    .select({ userId: customers.userId })
    .from(customers)
    .where(eq(customers.stripeCustomerId, stripeCustomerId))
    .for("key share");
  return ours.length > 0;
}

/** The customer an event is about. Disputes and refunds name only the payment: that of one of our invoices. */
async function findCustomerOf(tx: Queryable, event: Stripe.Event): Promise<string | null> {
  const object: { object?: string; id?: string; customer?: unknown; payment_intent?: unknown } = {
    ...event.data.object,
  };
  if (object.object === "customer") return object.id ?? null;
  const customer = idOf(object.customer);
  const payment = idOf(object.payment_intent);
  if (customer || !payment) return customer;
  const [owner] = await tx
    .select({ stripeCustomerId: customers.stripeCustomerId })
    .from(customers)
    .innerJoin(stripeInvoices, eq(stripeInvoices.userId, customers.userId))
    .where(eq(stripeInvoices.paymentIntentId, payment))
    .limit(1);
  return owner?.stripeCustomerId ?? null;
}

function idOf(reference: unknown): string | null {
  if (typeof reference === "string") return reference;
  return reference && typeof reference === "object" && "id" in reference ? String(reference.id) : null;
}

function verifySignature(
  stripe: Stripe,
  body: Buffer,
  signature: string,
  secret: string,
): Stripe.Event | null {
  const signedAt = Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1]);
  // The SDK rejects only old timestamps; one in the future could be replayed for longer.
  if (!(signedAt <= Date.now() / 1000 + TOLERANCE_SECONDS)) return null;
  try {
    return stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS);
  } catch {
    return null;
  }
}

let badSignatures = 0;
let logTimer: NodeJS.Timeout | undefined;

/** Logs the first bad signature at once, so that a wrong secret is noticed, then their number once a minute. */
function logBadSignature(log: App["log"]): void {
  badSignatures++;
  if (logTimer) return;
  logCount();

  function logCount(): void {
    logTimer = undefined;
    if (badSignatures === 0) return;
    log.warn({ count: badSignatures }, "webhook deliveries were refused: their signature is not good");
    badSignatures = 0;
    logTimer = setTimeout(logCount, LOG_INTERVAL_MILLISECONDS).unref();
  }
}

function textResponse(body: string, status: number): Response {
  return new Response(body, {
    status,
    headers: { "Content-Type": "text/plain", "Cache-Control": "no-store" },
  });
}
