import {
  createCheckoutSession,
  expireCheckoutSession,
  listCheckoutSessions,
  retrieveCheckoutSession,
} from "../checkout/sessions.ts";
import {
  advanceTestClock,
  createTestClock,
  deleteTestClock,
  listTestClocks,
  retrieveTestClock,
} from "../clocks/clocks.ts";
import { listInvoicePayments, retrieveInvoicePayment } from "../invoices/invoice-payments.ts";
import {
  finalizeInvoiceNow,
  listInvoiceLines,
  listInvoices,
  markInvoiceUncollectible,
  payInvoice,
  retrieveInvoice,
  updateInvoice,
  voidInvoiceNow,
} from "../invoices/invoices.ts";
import {
  createCustomer,
  deleteCustomer,
  listCustomers,
  retrieveCustomer,
  updateCustomer,
} from "../objects/customers.ts";
import { listEvents, retrieveEvent } from "../objects/events.ts";
import { createPrice, listPrices, retrievePrice, updatePrice } from "../objects/prices.ts";
import { createProduct, listProducts, retrieveProduct, updateProduct } from "../objects/products.ts";
import {
  cancelSchedule,
  createSchedule,
  listSchedules,
  releaseScheduleNow,
  retrieveSchedule,
  updateSchedule,
} from "../schedules/schedules.ts";
import { cancelSubscription } from "../subscriptions/cancel.ts";
import { createSubscription } from "../subscriptions/create.ts";
import { createPreview } from "../subscriptions/preview.ts";
import { resumeSubscription } from "../subscriptions/resume.ts";
import {
  listSubscriptionItems,
  retrieveSubscriptionItem,
  updateSubscriptionItem,
} from "../subscriptions/subscription-items.ts";
import { listSubscriptions, retrieveSubscription } from "../subscriptions/subscriptions.ts";
import { updateSubscription } from "../subscriptions/update.ts";
import { StripeApiError } from "./errors.ts";
import type { ApiCall } from "./params.ts";

type Endpoint = (call: ApiCall) => Promise<object>;

/** All the sandbox supports of Stripe's API. */
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

  ["POST", "/v1/prices", createPrice],
  ["GET", "/v1/prices", listPrices],
  ["GET", "/v1/prices/:id", retrievePrice],
  ["POST", "/v1/prices/:id", updatePrice],

  ["POST", "/v1/checkout/sessions", createCheckoutSession],
  ["GET", "/v1/checkout/sessions", listCheckoutSessions],
  ["GET", "/v1/checkout/sessions/:id", retrieveCheckoutSession],
  ["POST", "/v1/checkout/sessions/:id/expire", expireCheckoutSession],

  ["GET", "/v1/invoices", listInvoices],
  ["GET", "/v1/invoices/:id", retrieveInvoice],
  ["POST", "/v1/invoices/create_preview", createPreview],
  ["POST", "/v1/invoices/:id", updateInvoice],
  ["GET", "/v1/invoices/:id/lines", listInvoiceLines],
  ["POST", "/v1/invoices/:id/finalize", finalizeInvoiceNow],
  ["POST", "/v1/invoices/:id/pay", payInvoice],
  ["POST", "/v1/invoices/:id/void", voidInvoiceNow],
  ["POST", "/v1/invoices/:id/mark_uncollectible", markInvoiceUncollectible],
  ["GET", "/v1/invoice_payments", listInvoicePayments],
  ["GET", "/v1/invoice_payments/:id", retrieveInvoicePayment],

  ["POST", "/v1/subscriptions", createSubscription],
  ["GET", "/v1/subscriptions", listSubscriptions],
  ["GET", "/v1/subscriptions/:id", retrieveSubscription],
  ["POST", "/v1/subscriptions/:id", updateSubscription],
  ["DELETE", "/v1/subscriptions/:id", cancelSubscription],
  ["POST", "/v1/subscriptions/:id/resume", resumeSubscription],
  ["GET", "/v1/subscription_items", listSubscriptionItems],
  ["GET", "/v1/subscription_items/:id", retrieveSubscriptionItem],
  ["POST", "/v1/subscription_items/:id", updateSubscriptionItem],

  ["POST", "/v1/subscription_schedules", createSchedule],
  ["GET", "/v1/subscription_schedules", listSchedules],
  ["GET", "/v1/subscription_schedules/:id", retrieveSchedule],
  ["POST", "/v1/subscription_schedules/:id", updateSchedule],
  ["POST", "/v1/subscription_schedules/:id/release", releaseScheduleNow],
  ["POST", "/v1/subscription_schedules/:id/cancel", cancelSchedule],

  ["POST", "/v1/test_helpers/test_clocks", createTestClock],
  ["GET", "/v1/test_helpers/test_clocks", listTestClocks],
  ["GET", "/v1/test_helpers/test_clocks/:id", retrieveTestClock],
  ["DELETE", "/v1/test_helpers/test_clocks/:id", deleteTestClock],
  ["POST", "/v1/test_helpers/test_clocks/:id/advance", advanceTestClock],

  ["GET", "/v1/events", listEvents],
  ["GET", "/v1/events/:id", retrieveEvent],
];

/** The endpoint and the id in its path. @throws Stripe's 404 for an unknown URL */
export function findEndpoint(method: string, path: string): { endpoint: Endpoint; id: string } {
  const segments = path.split("/");
  for (const [knownMethod, pattern, endpoint] of ENDPOINTS) {
    const known = pattern.split("/");
    const matches =
      knownMethod === method &&
      known.length === segments.length &&
      known.every((segment, at) => (segment === ":id" ? segments[at] !== "" : segment === segments[at]));
    if (matches) return { endpoint, id: segments[known.indexOf(":id")] ?? "" };
  }
  const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs.`;
  throw new StripeApiError(404, "invalid_request_error", message);
}
