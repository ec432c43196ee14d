import Stripe from "stripe";
import { type Failure, failure } from "../../http/errors.ts";
import { withinTime } from "../../http/time-limit.server.ts";
import { consumeLimit, withLimit } from "../../limits/rate-limit.server.ts";
import { findCustomer } from "../customer.server.ts";
import { BILLING_LIMITS } from "../limits.ts";
import { findOpenSubscription } from "../open-subscription.server.ts";
import { type BillingApp, stripeIdOf } from "../stripe.server.ts";
import { syncCustomer } from "../sync/sync-customer.server.ts";

const RESPONSE_MILLISECONDS = 2_500;

const PORTAL_AWAY = "We couldn’t reach our payment provider. Nothing was changed. Try again in a moment.";

/** Stripe's page for the card, or for everything. Failures: 409 they never paid; 429 too often; 503 Stripe is away. */
export async function openPortal(
  app: BillingApp,
  userId: string,
  page: "card" | "billing",
): Promise<{ ok: true; url: string } | Failure> {
  const { payments, db, log, config } = app;
  if (!payments.isOn) return failure(503, PORTAL_AWAY);
  const customer = await findCustomer(db, userId);
  if (!customer) return failure(409, "There are no payments of yours yet, and so no card.");
  const { stripe } = payments;
  return withLimit(app, BILLING_LIMITS.portalByUser, userId, async () => {
    const returnUrl = `${config.publicOrigin}/dashboard?returned=1`;
    try {
      await payByDefaultCard(stripe, customer, await findOpenSubscription(db, userId));
      const { url } = await stripe.billingPortal.sessions.create({
        customer,
        return_url: returnUrl,
        ...(page === "card" && {
          flow_data: {
            type: "payment_method_update",
            after_completion: { type: "redirect", redirect: { return_url: returnUrl } },
          },
        }),
      });
      return { ok: true as const, url };
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      log.error({ error }, "Stripe opened no billing portal");
      return failure(503, PORTAL_AWAY);
    }
  });
}

/** Stripe's pages change the customer's card; the subscription's own would otherwise stay in use. */
async function payByDefaultCard(stripe: Stripe, customer: string, open: { id: string } | null) {
  if (!open) return;
  const card = stripeIdOf((await stripe.subscriptions.retrieve(open.id)).default_payment_method);
  if (!card) return;
  await stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
  await stripe.subscriptions.update(open.id, { default_payment_method: "" });
}

/** Stores what was changed on Stripe's pages. Past the limit, or while Stripe is slow, the webhook does it. */
export async function syncAfterPortal(app: BillingApp, userId: string): Promise<void> {
  const { payments, db, log } = app;
  const customer = await findCustomer(db, userId);
  if (!payments.isOn || !customer) return;
  const consumed = await consumeLimit(app, BILLING_LIMITS.paymentChecksByUser, userId);
  if (!consumed.ok) return;
  const synced = syncCustomer({ ...app, stripe: payments.stripe }, customer).catch((error: unknown) => {
    log.warn({ error }, "could not ask Stripe what was changed on its pages");
  });
  await withinTime(RESPONSE_MILLISECONDS, synced);
}
