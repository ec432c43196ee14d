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
  id: string;
  attempts: number;
  isCopy: boolean;
  event: Stripe.Event;
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
       WHERE id IN (
         SELECT id FROM sandbox_stripe.deliveries
         WHERE due_at <= now()
           AND NOT EXISTS (SELECT FROM sandbox_stripe.control WHERE knobs->>'webhooks' = 'hold')
         ORDER BY due_at, id LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING *)
     SELECT claimed.id, attempts, is_copy AS "isCopy", event.object AS event
     FROM claimed JOIN sandbox_stripe.objects AS event ON event.id = claimed.event
     ORDER BY claimed.id`,
    [BATCH_SIZE],
  );
  return rows;
}

async function deliver(webhooks: Webhooks, delivery: Delivery): Promise<void> {
  const { event, attempts } = delivery;
  const outcome = await post(webhooks, delivery);
  if (outcome === "delivered") {
    await finish(webhooks.pool, delivery, delivery.isCopy ? 0 : 1);
  } else if (attempts >= MAX_ATTEMPTS) {
    webhooks.log(
      `Stripe sandbox: gave up on ${event.type} ${event.id} after ${attempts} attempts: ${outcome}`,
    );
    await finish(webhooks.pool, delivery, 0);
  } else {
    // A single failure is normal, such as while the site is being restarted.
    if (attempts > 1) webhooks.log(`Stripe sandbox: ${event.type} ${event.id} not delivered yet: ${outcome}`);
    await retryLater(webhooks.pool, delivery, 2 ** (attempts - 1));
  }
}

/** Stripe calls anything but a 2xx a failure, redirects included: https://docs.stripe.com/webhooks */
async function post({ webhookUrl, webhookSecret }: Webhooks, delivery: Delivery): Promise<string> {
  const payload = JSON.stringify(delivery.event);
  try {
    const response = await fetch(webhookUrl, {
      method: "POST",
      headers: {
        "content-type": "application/json; charset=utf-8",
        "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret }),
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

/** @param delivered how many webhooks have the event now that had not before */
async function finish(pool: pg.Pool, { id, event }: Delivery, delivered: 0 | 1): Promise<void> {
  await pool.query(
    `WITH finished AS (DELETE FROM sandbox_stripe.deliveries WHERE id = $1)
     UPDATE sandbox_stripe.objects
     SET object = jsonb_set(object, '{pending_webhooks}', to_jsonb((object->>'pending_webhooks')::int - $3))
     WHERE id = $2`,
    [id, event.id, delivered],
  );
}

async function retryLater(pool: pg.Pool, { id }: Delivery, seconds: number): Promise<void> {
  await pool.query(
    "UPDATE sandbox_stripe.deliveries SET due_at = now() + make_interval(secs => $2) WHERE id = $1",
    [id, seconds],
  );
}
