import type pg from "pg";
import Stripe from "stripe";

const BATCH_SIZE = 10;
const MAX_ATTEMPTS = 10;
const TIMEOUT_MILLISECONDS = 5_000;

interface Webhooks {
  pool: pg.Pool;
  webhookUrl: string;
  webhookSecret: string;
  log: (message: string) => void;
}

interface Delivery {
  event: string;
  attempts: number;
  object: Stripe.Event;
}

/** Sends the events that are due, the oldest first, until none is due or `isStopping`. */
export async function deliverDueEvents(webhooks: Webhooks, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    const deliveries = await claimDeliveries(webhooks.pool);
    if (deliveries.length === 0) return;
    // Concurrently, so in no particular order: Stripe does not promise one either.
    await Promise.all(deliveries.map((delivery) => deliver(webhooks, delivery)));
  }
}

/**
 * Claims due deliveries for this process. The claim is a lease that outlasts the request: if the process dies meanwhile,
 * another one (or the next start) sends the event again.
 */
async function claimDeliveries(pool: pg.Pool): Promise<Delivery[]> {
  const { rows } = await pool.query<Delivery>(
    `WITH claimed AS (
       UPDATE sandbox_stripe.deliveries SET attempts = attempts + 1, due_at = now() + interval '10 seconds'
       WHERE event IN (
         SELECT event FROM sandbox_stripe.deliveries
         WHERE due_at <= now() AND (SELECT webhooks FROM sandbox_stripe.control) = 'deliver'
         ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING event, attempts)
     SELECT event, attempts, object FROM claimed JOIN sandbox_stripe.objects ON objects.id = claimed.event
     ORDER BY sequence`,
    [BATCH_SIZE],
  );
  return rows;
}

async function deliver(webhooks: Webhooks, { event, attempts, object }: Delivery): Promise<void> {
  const outcome = await post(webhooks, object);
  if (outcome === "delivered") {
    await finish(webhooks.pool, event, 0);
  } else if (attempts >= MAX_ATTEMPTS) {
    webhooks.log(`Stripe sandbox: gave up on ${object.type} ${event} after ${attempts} attempts: ${outcome}`);
    await finish(webhooks.pool, event, 1);
  } else {
    // A single failure is normal, such as while the site is being restarted.
    if (attempts > 1) webhooks.log(`Stripe sandbox: ${object.type} ${event} not delivered yet: ${outcome}`);
    await retryLater(webhooks.pool, event, 2 ** (attempts - 1));
  }
}

/** Stripe calls anything but a 2xx a failure, redirects included: https://docs.stripe.com/webhooks */
async function post({ webhookUrl, webhookSecret: secret }: Webhooks, object: Stripe.Event): Promise<string> {
  const payload = JSON.stringify(object);
  try {
    const response = await fetch(webhookUrl, {
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload, secret }),
        "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      },
      body: payload,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    await response.body?.cancel();
    return response.ok ? "delivered" : `the webhook answered ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function finish(pool: pg.Pool, event: string, pending_webhooks: 0 | 1): Promise<void> {
  await pool.query(
    `WITH finished AS (DELETE FROM sandbox_stripe.deliveries WHERE event = $1)
     UPDATE sandbox_stripe.objects SET object = object || $2 WHERE id = $1`,
    [event, JSON.stringify({ pending_webhooks })],
  );
}

async function retryLater(pool: pg.Pool, event: string, seconds: number): Promise<void> {
  await pool.query(
    "UPDATE sandbox_stripe.deliveries SET due_at = now() + make_interval(secs => $2) WHERE event = $1",
    [event, seconds],
  );
}
