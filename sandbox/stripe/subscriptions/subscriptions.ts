import type Stripe from "stripe";
import { z } from "zod";
import { type ApiCall, readParams, text } from "../api/params.ts";
import { createdParam, findOr404, listObjects, pageParams } from "../store.ts";

export async function retrieveSubscription({ tx, id }: ApiCall): Promise<Stripe.Subscription> {
  return findOr404(tx, "subscription", id);
}

const listSchema = z.strictObject({
  ...pageParams,
  created: createdParam,
  customer: text.optional(),
  price: text.optional(),
  collection_method: z.enum(["charge_automatically", "send_invoice"]).optional(),
  test_clock: text.optional(),
  status: z
    .enum([
      "active",
      "all",
      "canceled",
      "ended",
      "incomplete",
      "incomplete_expired",
      "past_due",
      "paused",
      "trialing",
      "unpaid",
    ])
    .optional(),
});

/** Canceled ones are listed only on request: https://docs.stripe.com/api/subscriptions/list */
export async function listSubscriptions({ tx, params }: ApiCall) {
  const { customer, price, status, collection_method, test_clock, ...range } = readParams(listSchema, params);
  return listObjects(tx, "subscription", "/v1/subscriptions", {
    ...range,
    having: {
      customer,
      collection_method,
      test_clock,
      ...(price && { items: { data: [{ price: { id: price } }] } }),
      ...(status && !["all", "ended"].includes(status) && { status }),
    },
    ...(status === "ended" && {
      havingOneOf: [{ status: "canceled" }, { status: "incomplete_expired" }],
    }),
    ...(!status && { except: { status: "canceled" } }),
  });
}
