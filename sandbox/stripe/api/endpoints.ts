import { createCheckoutSession } from "../checkout/create-session.ts";
import {
  expireCheckoutSession,
  listCheckoutLineItems,
  listCheckoutSessions,
  retrieveCheckoutSession,
  updateCheckoutSession,
} from "../checkout/sessions.ts";
import {
  advanceTestClock,
  createTestClock,
  deleteTestClock,
  listTestClocks,
  retrieveTestClock,
} from "../clocks/clocks.ts";
import { COUPON_ENDPOINTS } from "../coupons/endpoints.ts";
import { INVOICE_ENDPOINTS } from "../invoices/endpoints.ts";
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
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  retrieveWebhookEndpoint,
  updateWebhookEndpoint,
} from "../objects/webhook-endpoints.ts";
import { PAYMENT_ENDPOINTS } from "../payments/endpoints.ts";
import {
  createPortalConfiguration,
  listPortalConfigurations,
  retrievePortalConfiguration,
  updatePortalConfiguration,
} from "../portal/configurations.ts";
import { createPortalSession } from "../portal/sessions.ts";
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
import type { EndpointEntry } from "./endpoint.ts";

/** All the sandbox supports of Stripe's API. */
export const ENDPOINTS: EndpointEntry[] = [
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

  ["POST", "/v1/invoices/create_preview", createPreview],
  ...INVOICE_ENDPOINTS,
  ...PAYMENT_ENDPOINTS,
  ...COUPON_ENDPOINTS,

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

  ["POST", "/v1/billing_portal/configurations", createPortalConfiguration],
  ["GET", "/v1/billing_portal/configurations", listPortalConfigurations],
  ["GET", "/v1/billing_portal/configurations/:id", retrievePortalConfiguration],
  ["POST", "/v1/billing_portal/configurations/:id", updatePortalConfiguration],
  ["POST", "/v1/billing_portal/sessions", createPortalSession],

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
