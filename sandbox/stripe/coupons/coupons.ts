import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import {
  type ApiCall,
  integer,
  integerBetween,
  list,
  mergeMetadata,
  metadata,
  readParams,
  text,
  unsettable,
} from "../api/params.ts";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import {
  findOr404,
  insertObject,
  listObjects,
  lockOr404,
  newId,
  pageParams,
  replaceObject,
} from "../store.ts";
import type { Transaction } from "../transaction.ts";

const percentage = text
  .refine((value) => /^\d{1,3}(\.\d{1,2})?$/.test(value) && Number(value) > 0 && Number(value) <= 100, {
    error: "Invalid percent_off: must be greater than 0 and at most 100",
  })
  .transform(Number);

const createSchema = z.strictObject({
  id: text.optional(),
  amount_off: integerBetween(1, 99_999_999).optional(),
  applies_to: z.strictObject({ products: list(text) }).optional(),
  currency: text.optional(),
  duration: z.enum(["forever", "once", "repeating"]).default("once"),
  duration_in_months: integerBetween(1, 1200).optional(),
  max_redemptions: integerBetween(1, 1_000_000).optional(),
  name: text.max(40).optional(),
  percent_off: percentage.optional(),
  redeem_by: integer.optional(),
  metadata,
});

export async function createCoupon({ tx, params }: ApiCall): Promise<Stripe.Coupon> {
  const { metadata, id = newId("coupon"), ...fields } = readParams(createSchema, params);
  assertConsistent(fields);
  const coupon: Stripe.Coupon = {
    id,
    object: "coupon",
    amount_off: fields.amount_off ?? null,
    ...(fields.applies_to && { applies_to: fields.applies_to }),
    created: tx.now,
    currency: fields.currency?.toLowerCase() ?? null,
    duration: fields.duration,
    duration_in_months: fields.duration_in_months ?? null,
    livemode: false,
    max_redemptions: fields.max_redemptions ?? null,
    metadata: mergeMetadata({}, metadata),
    name: fields.name ?? null,
    percent_off: fields.percent_off ?? null,
    redeem_by: fields.redeem_by ?? null,
    times_redeemed: 0,
    valid: true,
  };
  if (!(await insertObject(tx, coupon))) {
    throw invalidRequest("Coupon already exists.", { code: "resource_already_exists", param: "id" });
  }
  await recordEvent(tx, { type: "coupon.created", data: { object: coupon } });
  return coupon;
}

function assertConsistent(fields: Omit<z.output<typeof createSchema>, "id" | "metadata">): void {
  const { amount_off, percent_off, currency, duration, duration_in_months } = fields;
  if ((amount_off === undefined) === (percent_off === undefined)) {
    throw invalidRequest("Must provide one of percent_off or amount_off.");
  }
  if (amount_off !== undefined && currency === undefined) {
    throw invalidRequest("Must provide currency when passing amount_off.", { param: "currency" });
  }
  if ((duration === "repeating") !== (duration_in_months !== undefined)) {
    const rule = "duration_in_months is required when duration is repeating, and only then.";
    throw invalidRequest(rule, { param: "duration_in_months" });
  }
}

export async function retrieveCoupon({ tx, id }: ApiCall): Promise<Stripe.Coupon> {
  return currentCoupon(tx, await findOr404(tx, "coupon", id));
}

const updateSchema = z.strictObject({ name: unsettable(text.max(40)).optional(), metadata });

export async function updateCoupon({ tx, params, id }: ApiCall): Promise<Stripe.Coupon> {
  const { metadata, ...changes } = readParams(updateSchema, params);
  const before = await lockOr404(tx, "coupon", id);
  const after = { ...before, ...changes, metadata: mergeMetadata(before.metadata ?? {}, metadata) };
  const previous = previousAttributes(before, after);
  if (!previous) return before;
  await replaceObject(tx, after);
  await recordEvent(tx, { type: "coupon.updated", data: { object: after, previous_attributes: previous } });
  return after;
}

/** Nobody can redeem it any more; those who did keep it. */
export async function deleteCoupon({ tx, id }: ApiCall): Promise<Stripe.DeletedCoupon> {
  const coupon = await lockOr404(tx, "coupon", id);
  await tx.client.query(
    `UPDATE sandbox_stripe.objects SET object = object || '{"object": "deleted_coupon", "valid": false}'
     WHERE id = $1`,
    [id],
  );
  await recordEvent(tx, { type: "coupon.deleted", data: { object: coupon } });
  return { id, object: "coupon", deleted: true };
}

const listSchema = z.strictObject(pageParams);

export async function listCoupons({ tx, params }: ApiCall) {
  const page = await listObjects(tx, "coupon", "/v1/coupons", readParams(listSchema, params));
  return { ...page, data: page.data.map((coupon) => currentCoupon(tx, coupon)) };
}

/** The coupon, which stops being valid when its time or its uses are over. */
export function currentCoupon(tx: Transaction, coupon: Stripe.Coupon): Stripe.Coupon {
  const { redeem_by, max_redemptions, times_redeemed, valid } = coupon;
  const isOver = redeem_by !== null && redeem_by <= tx.now;
  const isUsedUp = max_redemptions !== null && times_redeemed >= max_redemptions;
  return { ...coupon, valid: valid && !isOver && !isUsedUp };
}
