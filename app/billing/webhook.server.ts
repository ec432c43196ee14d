import { inArray, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { z } from "zod";
import type { Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import { SYNC_CATALOGUE, SYNC_CUSTOMER } from "./job-kinds.server.ts";
import { stripeEvents } from "./schema.ts";

/** How far the signature's time may be from ours, either way, in seconds (Stripe's own default for the past). */
const TOLERANCE_SECONDS = 300;
/** How often refused signatures are logged. */
const REFUSALS_MILLISECONDS = 60_000;

/** What Stripe calls its objects, which is all of an event that is kept: a name PostgreSQL can hold. */
const stripeId = z.string().regex(/^[\w.-]{1,255}$/);

/** An event as far as it is read (https://docs.stripe.com/api/events/object). */
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
        customer: z.union([stripeId, z.object({ id: stripeId })]).nullish(),
      }),
    ]),
  }),
});

/**
 * Takes in one delivery: checks the signature over the raw bytes, then writes the event and the job it causes
 * in one transaction. The payload only says whom to ask Stripe about, so order and repetition cannot matter.
 *
 * @returns 200 when it is kept (or was before), 400 when the signature is not good or what was signed is no event, 503 when payments are off.
 *   Our own failures throw: the 500 makes Stripe deliver again.
 */
export async function receiveStripeEvent(app: App, request: Request): Promise<Response> {
  const { payments } = app;
  if (!payments.isOn || payments.webhookSecret === "") return text("payments are off", 503);

  const body = Buffer.from(await request.arrayBuffer());
  const signature = request.headers.get("stripe-signature") ?? "";
  const event = verify(payments.stripe, body, signature, payments.webhookSecret);
  if (!event) {
    noteRefusal(app.log);
    return text("bad signature", 400);
  }
  if (!stripeEvent.safeParse(event).success) {
    app.log.warn("a delivery with a good signature was no event");
    return text("not an event", 400);
  }

  await app.db.transaction(async (tx) => {
    await tx
      .insert(stripeEvents)
      .values({ id: event.id, type: event.type, created: new Date(event.created * 1000) })
      .onConflictDoNothing();
    // Delivered again, too: whoever sends it again may do so because the first time came to nothing.
    await enqueueSync(tx, event);
  });
  return text("kept", 200);
}

/** Notes when the work that events caused was done. */
export async function markEventsHandled(db: Queryable, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await db.update(stripeEvents).set({ handledAt: sql`now()` }).where(inArray(stripeEvents.id, eventIds));
}

async function enqueueSync(tx: Queryable, event: Stripe.Event): Promise<void> {
  if (/^(product|price)\./.test(event.type)) return enqueue(tx, SYNC_CATALOGUE, {}, event.id);
  const stripeCustomerId = customerOf(event);
  if (stripeCustomerId) return enqueue(tx, SYNC_CUSTOMER, { stripeCustomerId }, event.id);
  return markEventsHandled(tx, [event.id]);
}

function customerOf(event: Stripe.Event): string | null {
  const object: { object?: string; id?: string; customer?: unknown } = { ...event.data.object };
  if (object.object === "customer") return object.id ?? null;
  if (typeof object.customer === "string") return object.customer;
  const expanded = object.customer;
  return expanded && typeof expanded === "object" && "id" in expanded ? String(expanded.id) : null;
}

function verify(stripe: Stripe, body: Buffer, signature: string, secret: string): Stripe.Event | null {
  const signedAt = Number(/(?:^|,)t=(\d+)/.exec(signature)?.[1]);
  // The SDK refuses what is too old; what claims to come from the future could be replayed for longer.
  if (!(signedAt <= Date.now() / 1000 + TOLERANCE_SECONDS)) return null;
  try {
    return stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_SECONDS);
  } catch {
    return null;
  }
}

let refusals = 0;
let refusalTimer: NodeJS.Timeout | undefined;

/** Logs the first refused signature at once, so that a wrong secret is noticed, and then how many there were, once a minute. */
function noteRefusal(log: App["log"]): void {
  refusals++;
  if (refusalTimer) return;
  say();

  function say(): void {
    refusalTimer = undefined;
    if (refusals === 0) return;
    log.warn({ count: refusals }, "webhook deliveries were refused: their signature is not good");
    refusals = 0;
    refusalTimer = setTimeout(say, REFUSALS_MILLISECONDS).unref();
  }
}

function text(body: string, status: number): Response {
  return new Response(body, {
    status,
    headers: { "Content-Type": "text/plain", "Cache-Control": "no-store" },
  });
}
