import { z } from "zod";
import { createPrice, createProduct, deleteProduct, updatePrice, updateProduct } from "../catalogue.ts";
import { createCheckoutSession, expireCheckoutSession, expireOverdueSessions } from "../checkout/sessions.ts";
import { advanceTestClock, createTestClock } from "../clocks/clocks.ts";
import { createCoupon } from "../coupons.ts";
import { createBalanceTransaction, createCustomer, deleteCustomer, updateCustomer } from "../customers.ts";
import { createPortalSession } from "../hosted/portal.ts";
import { voidInvoice } from "../invoices/bill.ts";
import { idIn } from "../paths.ts";
import { attachPaymentMethod } from "../payments/cards.ts";
import { createPaymentIntent } from "../payments/payments.ts";
import { createRefund, updateRefund } from "../payments/refunds.ts";
import { createSchedule, releaseScheduleNow, updateSchedule } from "../schedules/schedules.ts";
import { type Filter, findOr404, type Kind, listObjects, type Page } from "../store.ts";
import { createSubscription } from "../subscriptions/create.ts";
import { cancelSubscription } from "../subscriptions/end.ts";

import { createPreview, updateSubscription } from "../subscriptions/update.ts";
import { listTaxRegistrations, retrieveTaxSettings } from "../tax.ts";
import { notInSandbox } from "./errors.ts";
import { type ApiCall, boolean, integer, integerBetween, list, readParams, text } from "./params.ts";

type Endpoint = (call: ApiCall) => Promise<object>;

const retrieve =
  (kind: Kind): Endpoint =>
  ({ tx, id }) =>
    findOr404(tx, kind, id);

type Filters = Record<string, unknown>;

/** A list by the fields that are named; `where` is for filters that are no field, and `id` of the path. */
function listOf(
  kind: Kind,
  fields: readonly string[],
  more: z.ZodRawShape = {},
  where: (filters: Filters, id: string) => Filter = (having) => ({ having }),
): Endpoint {
  const schema = z.strictObject({
    limit: integerBetween(1, 100).default(10),
    starting_after: text.optional(),
    ...Object.fromEntries(fields.map((field) => [field, text.optional()])),
    ...more,
  });
  return async ({ tx, params, path, id }) => {
    const { limit, starting_after, created, ...filters } = readParams(schema, params) as Page & Filters;
    const page = await listObjects(tx, kind, { limit, starting_after, created, ...where(filters, id) });
    return { ...page, url: path };
  };
}

const SUBSCRIPTION_STATUSES = ["active", "canceled", "incomplete", "past_due", "trialing", "unpaid"];

const lists = {
  customers: listOf("customer", ["email"], {}, (having) => ({ having, except: { deleted: true } })),
  balanceTransactions: listOf("customer_balance_transaction", [], {}, (_, customer) => ({
    having: { customer },
  })),
  products: listOf("product", [], { active: boolean.optional() }),
  prices: listOf(
    "price",
    ["currency", "product"],
    { active: boolean.optional(), lookup_keys: list(text).optional() },
    ({ lookup_keys, ...having }) => ({
      having,
      havingOneOf: (lookup_keys as string[] | undefined)?.map((lookup_key) => ({ lookup_key })),
    }),
  ),
  checkoutSessions: listOf("checkout.session", ["customer"], {
    status: z.enum(["complete", "expired", "open"]).optional(),
  }),
  invoices: listOf(
    "invoice",
    ["customer", "subscription"],
    { status: z.enum(["draft", "open", "paid", "void"]).optional() },
    ({ subscription, ...having }) => ({
      having: { ...having, ...(subscription ? { parent: { subscription_details: { subscription } } } : {}) },
    }),
  ),
  /** Canceled ones are listed only on request: https://docs.stripe.com/api/subscriptions/list */
  subscriptions: listOf(
    "subscription",
    ["customer"],
    { status: z.enum(["all", ...SUBSCRIPTION_STATUSES]).optional() },
    ({ customer, status }) => ({
      having: { customer, ...(status !== "all" && { status }) },
      except: status ? undefined : { status: "canceled" },
    }),
  ),
  /** An event is delivered when no webhook waits for it any more. */
  events: listOf(
    "event",
    [],
    {
      created: z.strictObject({ gte: integer.optional(), lte: integer.optional() }).optional(),
      delivery_success: boolean.optional(),
    },
    ({ delivery_success: isDelivered }) => ({
      having: isDelivered === undefined ? {} : { pending_webhooks: isDelivered ? 0 : 1 },
    }),
  ),
};

/** Sessions do not expire by themselves. */
const afterExpiry =
  (endpoint: Endpoint): Endpoint =>
  async (call) => {
    await expireOverdueSessions(call.tx);
    return endpoint(call);
  };

/** All the sandbox supports of Stripe's API; `:id` stands for one part of the path. */
export const ENDPOINTS: [method: string, path: string, endpoint: Endpoint][] = [
  ["POST", "/v1/customers", createCustomer],
  ["GET", "/v1/customers", lists.customers],
  ["GET", "/v1/customers/:id", retrieve("customer")],
  ["POST", "/v1/customers/:id", updateCustomer],
  ["DELETE", "/v1/customers/:id", deleteCustomer],

  ["POST", "/v1/customers/:id/balance_transactions", createBalanceTransaction],
  ["GET", "/v1/customers/:id/balance_transactions", lists.balanceTransactions],

  ["POST", "/v1/products", createProduct],
  ["GET", "/v1/products", lists.products],
  ["GET", "/v1/products/:id", retrieve("product")],
  ["POST", "/v1/products/:id", updateProduct],
  ["DELETE", "/v1/products/:id", deleteProduct],
  ["POST", "/v1/prices", createPrice],
  ["GET", "/v1/prices", lists.prices],
  ["POST", "/v1/prices/:id", updatePrice],
  ["POST", "/v1/coupons", createCoupon],

  ["POST", "/v1/checkout/sessions", createCheckoutSession],
  ["GET", "/v1/checkout/sessions", afterExpiry(lists.checkoutSessions)],
  ["GET", "/v1/checkout/sessions/:id", afterExpiry(retrieve("checkout.session"))],
  ["POST", "/v1/checkout/sessions/:id/expire", afterExpiry(expireCheckoutSession)],

  ["POST", "/v1/invoices/create_preview", createPreview],
  ["GET", "/v1/invoices", lists.invoices],
  ["GET", "/v1/invoices/:id", retrieve("invoice")],
  ["POST", "/v1/invoices/:id/void", ({ tx, id }) => voidInvoice(tx, id)],
  ["GET", "/v1/invoice_payments", listOf("invoice_payment", ["invoice"])],

  ["POST", "/v1/payment_methods/:id/attach", attachPaymentMethod],
  ["POST", "/v1/payment_intents", createPaymentIntent],
  ["GET", "/v1/payment_intents", listOf("payment_intent", ["customer"])],
  ["GET", "/v1/payment_intents/:id", retrieve("payment_intent")],
  ["GET", "/v1/charges", listOf("charge", ["customer"])],
  ["GET", "/v1/charges/:id", retrieve("charge")],
  ["POST", "/v1/refunds", createRefund],
  ["GET", "/v1/refunds", listOf("refund", ["charge", "payment_intent"])],
  ["GET", "/v1/refunds/:id", retrieve("refund")],
  ["POST", "/v1/refunds/:id", updateRefund],
  ["GET", "/v1/disputes", listOf("dispute", ["payment_intent"])],

  ["POST", "/v1/subscriptions", createSubscription],
  ["GET", "/v1/subscriptions", lists.subscriptions],
  ["GET", "/v1/subscriptions/:id", retrieve("subscription")],
  ["POST", "/v1/subscriptions/:id", updateSubscription],
  ["DELETE", "/v1/subscriptions/:id", cancelSubscription],
  ["POST", "/v1/subscription_schedules", createSchedule],
  ["POST", "/v1/subscription_schedules/:id", updateSchedule],
  ["POST", "/v1/subscription_schedules/:id/release", releaseScheduleNow],

  ["GET", "/v1/tax/settings", retrieveTaxSettings],
  ["GET", "/v1/tax/registrations", listTaxRegistrations],

  ["POST", "/v1/test_helpers/test_clocks", createTestClock],
  ["POST", "/v1/test_helpers/test_clocks/:id/advance", advanceTestClock],
  ["POST", "/v1/billing_portal/sessions", createPortalSession],
  ["GET", "/v1/events", lists.events],
  ["GET", "/v1/events/:id", retrieve("event")],
];

/**
 * The endpoint for a path, and what stands for its `:id`; empty without one.
 *
 * @throws 501 for everything else
 */
export function findEndpoint(method: string, path: string): { endpoint: Endpoint; id: string } {
  for (const [knownMethod, pattern, endpoint] of ENDPOINTS) {
    const id = knownMethod === method ? idIn(path, pattern) : null;
    // `search` is an endpoint of Stripe's at the place of an id.
    if (id !== null && id !== "search") return { endpoint, id };
  }
  throw notInSandbox(`${method} ${path}`);
}
