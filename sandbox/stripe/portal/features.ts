import type Stripe from "stripe";
import { z } from "zod";
import { boolean, list, text, unsettable } from "../api/params.ts";

type Features = Stripe.BillingPortal.Configuration["features"];

const CANCELLATION_REASONS = [
  "too_expensive",
  "missing_features",
  "switched_service",
  "unused",
  "customer_service",
  "too_complex",
  "low_quality",
  "other",
] as const;

const prorationBehavior = z.enum(["always_invoice", "create_prorations", "none"]).optional();
const enabled = boolean.optional();

/** `features` of a configuration: https://docs.stripe.com/api/customer_portal/configurations/create */
export const featuresSchema = z.strictObject({
  customer_update: z
    .strictObject({
      allowed_updates: unsettable(
        list(z.enum(["address", "email", "name", "phone", "shipping", "tax_id"])),
      ).optional(),
      enabled,
    })
    .optional(),
  invoice_history: z.strictObject({ enabled: boolean }).optional(),
  payment_method_update: z.strictObject({ enabled: boolean }).optional(),
  subscription_cancel: z
    .strictObject({
      cancellation_reason: z
        .strictObject({
          enabled: boolean,
          options: unsettable(list(z.enum(CANCELLATION_REASONS))).optional(),
        })
        .optional(),
      enabled,
      mode: z.enum(["at_period_end", "immediately"]).optional(),
      proration_behavior: prorationBehavior,
    })
    .optional(),
  subscription_update: z
    .strictObject({
      billing_cycle_anchor: z.enum(["now", "unchanged"]).optional(),
      default_allowed_updates: unsettable(list(z.enum(["price", "promotion_code", "quantity"]))).optional(),
      enabled,
      products: unsettable(list(z.strictObject({ product: text, prices: list(text) }))).optional(),
      proration_behavior: prorationBehavior,
      schedule_at_period_end: z
        .strictObject({
          conditions: unsettable(
            list(z.strictObject({ type: z.enum(["decreasing_item_amount", "shortening_interval"]) })),
          ).optional(),
        })
        .optional(),
      trial_update_behavior: z.enum(["continue_trial", "end_trial"]).optional(),
    })
    .optional(),
});

/** What a configuration starts with: nothing is allowed. */
export const NO_FEATURES: Features = {
  customer_update: { allowed_updates: [], enabled: false },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false, payment_method_configuration: null },
  subscription_cancel: {
    cancellation_reason: { enabled: false, feedback_options: null, options: [...CANCELLATION_REASONS] },
    enabled: false,
    mode: "at_period_end",
    proration_behavior: "none",
  },
  subscription_pause: { duration: { interval_options: [], type: "indefinite" }, enabled: false },
  subscription_update: {
    billing_cycle_anchor: null,
    default_allowed_updates: [],
    enabled: false,
    products: null,
    proration_behavior: "none",
    schedule_at_period_end: { conditions: [] },
    trial_update_behavior: "end_trial",
  },
};

/** What the configuration has that nobody made: everything is allowed, and every plan may be chosen. */
export const ALL_FEATURES: Features = {
  ...NO_FEATURES,
  customer_update: { allowed_updates: ["email", "name", "address", "phone"], enabled: true },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true, payment_method_configuration: null },
  subscription_cancel: {
    ...NO_FEATURES.subscription_cancel,
    cancellation_reason: { ...NO_FEATURES.subscription_cancel.cancellation_reason, enabled: true },
    enabled: true,
  },
  subscription_update: {
    ...NO_FEATURES.subscription_update,
    default_allowed_updates: ["price"],
    enabled: true,
    proration_behavior: "always_invoice",
    schedule_at_period_end: {
      conditions: [{ type: "decreasing_item_amount" }, { type: "shortening_interval" }],
    },
  },
};

/** The features with what the parameters say of them. */
export function mergeFeatures(
  features: Features,
  changes: z.output<typeof featuresSchema> | undefined,
): Features {
  const { customer_update, subscription_cancel: cancel, subscription_update: update } = changes ?? {};
  return {
    ...features,
    customer_update: {
      ...features.customer_update,
      ...customer_update,
      allowed_updates: listOr(customer_update?.allowed_updates, features.customer_update.allowed_updates),
    },
    invoice_history: changes?.invoice_history ?? features.invoice_history,
    payment_method_update: { ...features.payment_method_update, ...changes?.payment_method_update },
    subscription_cancel: {
      ...features.subscription_cancel,
      ...cancel,
      cancellation_reason: {
        ...features.subscription_cancel.cancellation_reason,
        ...cancel?.cancellation_reason,
        options: listOr(
          cancel?.cancellation_reason?.options,
          features.subscription_cancel.cancellation_reason.options,
        ),
      },
    },
    subscription_update: {
      ...features.subscription_update,
      ...update,
      default_allowed_updates: listOr(
        update?.default_allowed_updates,
        features.subscription_update.default_allowed_updates,
      ),
      products: update?.products
        ? update.products.map((product) => ({ ...product, adjustable_quantity: FIXED_QUANTITY }))
        : update?.products === null
          ? null
          : features.subscription_update.products,
      schedule_at_period_end: {
        conditions: listOr(
          update?.schedule_at_period_end?.conditions,
          features.subscription_update.schedule_at_period_end.conditions,
        ),
      },
    },
  };
}

const FIXED_QUANTITY = { enabled: false, maximum: null, minimum: 1 };

/** An empty value empties a list; an absent one leaves it. */
function listOr<Item>(changed: Item[] | null | undefined, current: Item[]): Item[] {
  return changed === null ? [] : (changed ?? current);
}
