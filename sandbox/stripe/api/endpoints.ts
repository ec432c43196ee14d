import {
  createCheckoutSession,
  expireCheckoutSession,
  listCheckoutLineItems,
  listCheckoutSessions,
  retrieveCheckoutSession,
  updateCheckoutSession,
} from "../checkout/sessions.ts";
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
import { retrieveAccount, retrieveBalance } from "../objects/account.ts";
import {
  createCustomer,
  deleteCustomer,
  listCustomers,
  retrieveCustomer,
  updateCustomer,
} from "../objects/customers.ts";
import { listEvents, retrieveEvent } from "../objects/events.ts";
import { createPrice, listPrices, retrievePrice, updatePrice } from "../objects/prices.ts";
import {
  createProduct,
  deleteProduct,
  listProducts,
  retrieveProduct,
  updateProduct,
} from "../objects/products.ts";
import {
  cancelSubscription,
  listSubscriptions,
  retrieveSubscription,
  updateSubscription,
} from "../objects/subscriptions.ts";
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  retrieveWebhookEndpoint,
  updateWebhookEndpoint,
} from "../objects/webhook-endpoints.ts";
import type { ApiCall } from "./params.ts";

/** Answers one kind of request, or throws a StripeApiError. */
export type Endpoint = (call: ApiCall) => Promise<object>;

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
  ["DELETE", "/v1/products/:id", deleteProduct],

  ["POST", "/v1/prices", createPrice],
  ["GET", "/v1/prices", listPrices],
  ["GET", "/v1/prices/:id", retrievePrice],
  ["POST", "/v1/prices/:id", updatePrice],

  ["POST", "/v1/checkout/sessions", createCheckoutSession],
  ["GET", "/v1/checkout/sessions", listCheckoutSessions],
  ["GET", "/v1/checkout/sessions/:id", retrieveCheckoutSession],
  ["POST", "/v1/checkout/sessions/:id", updateCheckoutSession],
  ["GET", "/v1/checkout/sessions/:id/line_items", listCheckoutLineItems],
  ["POST", "/v1/checkout/sessions/:id/expire", expireCheckoutSession],

  ["GET", "/v1/invoices", listInvoices],
  ["GET", "/v1/invoices/:id", retrieveInvoice],
  ["POST", "/v1/invoices/:id", updateInvoice],
  ["GET", "/v1/invoices/:id/lines", listInvoiceLines],
  ["POST", "/v1/invoices/:id/finalize", finalizeInvoiceNow],
  ["POST", "/v1/invoices/:id/pay", payInvoice],
  ["POST", "/v1/invoices/:id/void", voidInvoiceNow],
  ["POST", "/v1/invoices/:id/mark_uncollectible", markInvoiceUncollectible],
  ["GET", "/v1/invoice_payments", listInvoicePayments],
  ["GET", "/v1/invoice_payments/:id", retrieveInvoicePayment],

  ["GET", "/v1/subscriptions", listSubscriptions],
  ["GET", "/v1/subscriptions/:id", retrieveSubscription],
  ["POST", "/v1/subscriptions/:id", updateSubscription],
  ["DELETE", "/v1/subscriptions/:id", cancelSubscription],

  ["GET", "/v1/account", retrieveAccount],
  ["GET", "/v1/balance", retrieveBalance],

  ["GET", "/v1/events", listEvents],
  ["GET", "/v1/events/:id", retrieveEvent],

  ["POST", "/v1/webhook_endpoints", createWebhookEndpoint],
  ["GET", "/v1/webhook_endpoints", listWebhookEndpoints],
  ["GET", "/v1/webhook_endpoints/:id", retrieveWebhookEndpoint],
  ["POST", "/v1/webhook_endpoints/:id", updateWebhookEndpoint],
  ["DELETE", "/v1/webhook_endpoints/:id", deleteWebhookEndpoint],
];
