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
import { createCoupon, deleteCoupon, listCoupons, retrieveCoupon, updateCoupon } from "../coupons/coupons.ts";
import {
  createPromotionCode,
  listPromotionCodes,
  retrievePromotionCode,
  updatePromotionCode,
} from "../coupons/promotion-codes.ts";
import { deleteCustomerDiscount, deleteSubscriptionDiscount } from "../coupons/redemption.ts";
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
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  retrieveWebhookEndpoint,
  updateWebhookEndpoint,
} from "../objects/webhook-endpoints.ts";
import { listCharges, retrieveCharge } from "../payments/charges.ts";
import { closeDispute, listDisputes, retrieveDispute, updateDispute } from "../payments/disputes.ts";
import {
  confirmPaymentIntent,
  createPaymentIntent,
  listPaymentIntents,
  retrievePaymentIntent,
} from "../payments/payment-intents.ts";
import {
  attachPaymentMethod,
  createPaymentMethod,
  detachPaymentMethod,
  listPaymentMethods,
  listPaymentMethodsOfCustomer,
  retrievePaymentMethod,
  updatePaymentMethod,
} from "../payments/payment-methods.ts";
import { createRefund, listRefunds, retrieveRefund, updateRefund } from "../payments/refunds.ts";
import {
  confirmSetupIntent,
  createSetupIntent,
  listSetupIntents,
  retrieveSetupIntent,
} from "../payments/setup-intents.ts";
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

  ["POST", "/v1/payment_methods", createPaymentMethod],
  ["GET", "/v1/payment_methods", listPaymentMethods],
  ["GET", "/v1/payment_methods/:id", retrievePaymentMethod],
  ["POST", "/v1/payment_methods/:id", updatePaymentMethod],
  ["POST", "/v1/payment_methods/:id/attach", attachPaymentMethod],
  ["POST", "/v1/payment_methods/:id/detach", detachPaymentMethod],
  ["GET", "/v1/customers/:id/payment_methods", listPaymentMethodsOfCustomer],

  ["POST", "/v1/setup_intents", createSetupIntent],
  ["GET", "/v1/setup_intents", listSetupIntents],
  ["GET", "/v1/setup_intents/:id", retrieveSetupIntent],
  ["POST", "/v1/setup_intents/:id/confirm", confirmSetupIntent],

  ["POST", "/v1/payment_intents", createPaymentIntent],
  ["GET", "/v1/payment_intents", listPaymentIntents],
  ["GET", "/v1/payment_intents/:id", retrievePaymentIntent],
  ["POST", "/v1/payment_intents/:id/confirm", confirmPaymentIntent],

  ["GET", "/v1/charges", listCharges],
  ["GET", "/v1/charges/:id", retrieveCharge],

  ["POST", "/v1/refunds", createRefund],
  ["GET", "/v1/refunds", listRefunds],
  ["GET", "/v1/refunds/:id", retrieveRefund],
  ["POST", "/v1/refunds/:id", updateRefund],

  ["GET", "/v1/disputes", listDisputes],
  ["GET", "/v1/disputes/:id", retrieveDispute],
  ["POST", "/v1/disputes/:id", updateDispute],
  ["POST", "/v1/disputes/:id/close", closeDispute],

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
  ["DELETE", "/v1/subscriptions/:id/discount", deleteSubscriptionDiscount],
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

  ["POST", "/v1/coupons", createCoupon],
  ["GET", "/v1/coupons", listCoupons],
  ["GET", "/v1/coupons/:id", retrieveCoupon],
  ["POST", "/v1/coupons/:id", updateCoupon],
  ["DELETE", "/v1/coupons/:id", deleteCoupon],
  ["POST", "/v1/promotion_codes", createPromotionCode],
  ["GET", "/v1/promotion_codes", listPromotionCodes],
  ["GET", "/v1/promotion_codes/:id", retrievePromotionCode],
  ["POST", "/v1/promotion_codes/:id", updatePromotionCode],
  ["DELETE", "/v1/customers/:id/discount", deleteCustomerDiscount],

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
