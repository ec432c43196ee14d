import { createCheckoutSession } from "../checkout/create-session.ts";
import {
  expireCheckoutSession,
  listCheckoutSessions,
  retrieveCheckoutSession,
} from "../checkout/sessions.ts";
import { advanceTestClock, createTestClock } from "../clocks/clocks.ts";
import { createCoupon } from "../coupons/coupons.ts";
import { listInvoicePayments, listInvoices, retrieveInvoice, voidInvoiceNow } from "../invoices/invoices.ts";
import {
  createCustomer,
  deleteCustomer,
  listCustomers,
  retrieveCustomer,
  updateCustomer,
} from "../objects/customers.ts";
import { listEvents, retrieveEvent } from "../objects/events.ts";
import { createPrice, listPrices, updatePrice } from "../objects/prices.ts";
import {
  createProduct,
  deleteProduct,
  listProducts,
  retrieveProduct,
  updateProduct,
} from "../objects/products.ts";
import { listCharges, retrieveCharge } from "../payments/charges.ts";
import { listDisputes } from "../payments/disputes.ts";
import {
  createPaymentIntent,
  listPaymentIntents,
  retrievePaymentIntent,
} from "../payments/payment-intents.ts";
import { attachPaymentMethod } from "../payments/payment-methods.ts";
import { createRefund, listRefunds, retrieveRefund } from "../payments/refunds.ts";
import { createPortalSession } from "../portal/sessions.ts";
import { createSchedule, releaseScheduleNow, updateSchedule } from "../schedules/schedules.ts";
import { cancelSubscription } from "../subscriptions/cancel.ts";
import { createSubscription } from "../subscriptions/create.ts";
import { createPreview } from "../subscriptions/preview.ts";
import { listSubscriptions, retrieveSubscription } from "../subscriptions/subscriptions.ts";
import { updateSubscription } from "../subscriptions/update.ts";
import { notInSandbox } from "./errors.ts";
import type { ApiCall } from "./params.ts";

/** Answers one kind of request. */
type Endpoint = (call: ApiCall) => Promise<object>;

/** All the sandbox supports of Stripe's API; `:id` stands for one part of the path. */
export const ENDPOINTS: [method: string, path: string, endpoint: Endpoint][] = [
  ["POST", "/v1/customers", createCustomer],
  ["GET", "/v1/customers", listCustomers],
  ["GET", "/v1/customers/:id", retrieveCustomer],
  ["POST", "/v1/customers/:id", updateCustomer],
  ["DELETE", "/v1/customers/:id", deleteCustomer],

  ["POST", "/v1/products", createProduct],
  ["GET", "/v1/products", listProducts],
  ["GET", "/v1/products/:id", retrieveProduct],
  ["POST", "/v1/products/:id", updateProduct],
  ["DELETE", "/v1/products/:id", deleteProduct],

  ["POST", "/v1/prices", createPrice],
  ["GET", "/v1/prices", listPrices],
  ["POST", "/v1/prices/:id", updatePrice],

  ["POST", "/v1/checkout/sessions", createCheckoutSession],
  ["GET", "/v1/checkout/sessions", listCheckoutSessions],
  ["GET", "/v1/checkout/sessions/:id", retrieveCheckoutSession],
  ["POST", "/v1/checkout/sessions/:id/expire", expireCheckoutSession],

  ["POST", "/v1/invoices/create_preview", createPreview],
  ["GET", "/v1/invoices", listInvoices],
  ["GET", "/v1/invoices/:id", retrieveInvoice],
  ["POST", "/v1/invoices/:id/void", voidInvoiceNow],
  ["GET", "/v1/invoice_payments", listInvoicePayments],

  ["POST", "/v1/payment_methods/:id/attach", attachPaymentMethod],
  ["POST", "/v1/payment_intents", createPaymentIntent],
  ["GET", "/v1/payment_intents", listPaymentIntents],
  ["GET", "/v1/payment_intents/:id", retrievePaymentIntent],
  ["GET", "/v1/charges", listCharges],
  ["GET", "/v1/charges/:id", retrieveCharge],
  ["POST", "/v1/refunds", createRefund],
  ["GET", "/v1/refunds", listRefunds],
  ["GET", "/v1/refunds/:id", retrieveRefund],
  ["GET", "/v1/disputes", listDisputes],
  ["POST", "/v1/coupons", createCoupon],

  ["POST", "/v1/subscriptions", createSubscription],
  ["GET", "/v1/subscriptions", listSubscriptions],
  ["GET", "/v1/subscriptions/:id", retrieveSubscription],
  ["POST", "/v1/subscriptions/:id", updateSubscription],
  ["DELETE", "/v1/subscriptions/:id", cancelSubscription],
  ["POST", "/v1/subscription_schedules", createSchedule],
  ["POST", "/v1/subscription_schedules/:id", updateSchedule],
  ["POST", "/v1/subscription_schedules/:id/release", releaseScheduleNow],

  ["POST", "/v1/test_helpers/test_clocks", createTestClock],
  ["POST", "/v1/test_helpers/test_clocks/:id/advance", advanceTestClock],
  ["POST", "/v1/billing_portal/sessions", createPortalSession],
  ["GET", "/v1/events", listEvents],
  ["GET", "/v1/events/:id", retrieveEvent],
];

/** Not `search`, which Stripe has beside ids. */
const ID = /^(?!search$)./s;

/**
 * The endpoint for a path, and what stands for its `:id`; empty without one.
 *
 * @throws 501 for everything else
 */
export function findEndpoint(method: string, path: string): { endpoint: Endpoint; id: string } {
  const segments = path.split("/");
  for (const [knownMethod, pattern, endpoint] of ENDPOINTS) {
    const known = pattern.split("/");
    const matches =
      knownMethod === method &&
      known.length === segments.length &&
      known.every((part, at) => (part === ":id" ? ID.test(segments[at] ?? "") : part === segments[at]));
    if (matches) return { endpoint, id: segments[known.indexOf(":id")] ?? "" };
  }
  throw notInSandbox(`${method} ${path}`);
}
