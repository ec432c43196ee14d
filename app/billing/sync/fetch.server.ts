import type Stripe from "stripe";
import { isInvalidRequest, isMissing } from "../stripe-errors.server.ts";

const PAGE_SIZE = 100;
/** At most this many of a customer's subscriptions, invoices and payments are asked for: the newest. */
const MAX_RECORDS = 1000;

/** The parts of Stripe's answer that belong to subscriptions of ours. */
export interface BillingRecords {
  /** `null` when it was not asked for. */
  customer: Stripe.Customer | Stripe.DeletedCustomer | null;
  /** With `payments`. */
  invoices: Stripe.Invoice[];
  /** With `latest_charge`, by id. */
  payments: Map<string, Stripe.PaymentIntent>;
  /** What each renewing subscription is charged next, by its id. */
  previews: Map<string, Stripe.Invoice>;
}

/**
 * A customer's subscriptions in any status: one request.
 *
 * @throws Stripe's errors
 */
export function fetchSubscriptions(stripe: Stripe, customer: string): Promise<Stripe.Subscription[]> {
  return stripe.subscriptions
    .list({
      customer,
      status: "all",
      limit: PAGE_SIZE,
      expand: ["data.default_payment_method", "data.schedule"],
    })
    .autoPagingToArray({ limit: MAX_RECORDS })
    .catch(async (error: unknown) => {
      if (!isMissing(error)) throw error;
      // Those of a customer that was deleted there have ended. One of other API keys stays an error.
      const { deleted } = await stripe.customers.retrieve(customer);
      if (deleted) return [];
      throw error;
    });
}

/**
 * Invoices and payments, and for those who have a plan their card and what is charged next: two to four requests at once.
 * More only for a second subscription, which the operator gave, and for each hundred invoices or payments.
 *
 * @param hasPlan whether a subscription has not ended; a customer who was deleted at Stripe has none, and no card
 * @param renewing ids of the subscriptions that are charged again
 * @throws Stripe's errors
 */
export async function fetchBillingRecords(
  stripe: Stripe,
  customer: string,
  hasPlan: boolean,
  renewing: readonly string[],
): Promise<BillingRecords> {
  const [record, invoices, payments, ...previews] = await Promise.all([
    hasPlan
      ? stripe.customers.retrieve(customer, { expand: ["invoice_settings.default_payment_method"] })
      : null,
    stripe.invoices
      .list({ customer, limit: PAGE_SIZE, expand: ["data.payments"] })
      .autoPagingToArray({ limit: MAX_RECORDS }),
    // Invoices list their payments without what became of them, and an expansion would be one level too deep.
    stripe.paymentIntents
      .list({ customer, limit: PAGE_SIZE, expand: ["data.latest_charge"] })
      .autoPagingToArray({ limit: MAX_RECORDS }),
    ...renewing.map((subscription) => fetchPreview(stripe, subscription)),
  ]);
  return {
    customer: record,
    invoices,
    payments: new Map(payments.map((payment) => [payment.id, payment])),
    previews: new Map(renewing.flatMap((id, index) => (previews[index] ? [[id, previews[index]]] : []))),
  };
}

/** @returns `null` when Stripe plans no invoice: the subscription changed since it was listed, and its event follows */
async function fetchPreview(stripe: Stripe, subscription: string): Promise<Stripe.Invoice | null> {
  // It creates nothing, so it has no idempotency key of ours: one would bring yesterday's answer.
  return stripe.invoices.createPreview({ subscription }).catch((error: unknown) => {
    if (!isInvalidRequest(error)) throw error;
    return null;
  });
}

/** The newest dispute about each of these payments: one request each, for payments whose charge says that there is one. */
export async function fetchDisputes(
  stripe: Stripe,
  payments: Iterable<Stripe.PaymentIntent>,
): Promise<Map<string, Stripe.Dispute>> {
  const disputed = [...payments].filter((payment) => chargeOf(payment)?.disputed);
  const lists = await Promise.all(
    disputed.map(({ id }) => stripe.disputes.list({ payment_intent: id, limit: 1 })),
  );
  return new Map(
    lists.flatMap(({ data: [dispute] }, index) => {
      const payment = disputed[index];
      return dispute && payment ? [[payment.id, dispute]] : [];
    }),
  );
}

/** The refunds of payments, newest first: one request each. */
export async function fetchRefunds(
  stripe: Stripe,
  paymentIds: readonly string[],
): Promise<Map<string, Stripe.Refund[]>> {
  const lists = await Promise.all(
    paymentIds.map((id) => stripe.refunds.list({ payment_intent: id, limit: PAGE_SIZE })),
  );
  return new Map(paymentIds.map((id, index) => [id, lists[index]?.data ?? []]));
}

/** The charge of a payment that was fetched with it; `null` before the first try. */
export function chargeOf({ latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge | null {
  return typeof charge === "string" ? null : charge;
}
