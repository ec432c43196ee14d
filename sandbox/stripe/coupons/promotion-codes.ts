import { randomInt } from "node:crypto";
import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest, resourceMissing } from "../api/errors.ts";
import {
  type ApiCall,
  boolean,
  integer,
  integerBetween,
  mergeMetadata,
  metadata,
  readParams,
  text,
} from "../api/params.ts";
import { existingCustomer } from "../objects/customers.ts";
import { previousAttributes, recordEvent } from "../objects/events.ts";
import {
  findObject,
  findOr404,
  insertObject,
  listObjects,
  lockOr404,
  newId,
  pageParams,
  replaceObject,
} from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { currentCoupon } from "./coupons.ts";

const createSchema = z.strictObject({
  promotion: z.strictObject({ type: z.enum(["coupon"]), coupon: text }),
  active: boolean.optional(),
  code: text.optional(),
  customer: text.optional(),
  expires_at: integer.optional(),
  max_redemptions: integerBetween(1, 1_000_000).optional(),
  restrictions: z
    .strictObject({
      first_time_transaction: boolean.optional(),
      minimum_amount: integer.optional(),
      minimum_amount_currency: text.optional(),
    })
    .optional(),
  metadata,
});

export async function createPromotionCode({ tx, params }: ApiCall): Promise<Stripe.PromotionCode> {
  const fields = readParams(createSchema, params);
  const { promotion, code = newCode(), restrictions } = fields;
  if (!(await findObject(tx, "coupon", promotion.coupon))) {
    throw resourceMissing("coupon", promotion.coupon, "promotion[coupon]");
  }
  if (fields.customer) await existingCustomer(tx, fields.customer);
  if (await findActiveCode(tx, code)) {
    const message = `An active promotion code with \`code: ${code}\` already exists.`;
    throw invalidRequest(message, { param: "code" });
  }
  const promotionCode: Stripe.PromotionCode = {
    id: newId("promo"),
    object: "promotion_code",
    active: fields.active ?? true,
    code,
    created: tx.now,
    customer: fields.customer ?? null,
    customer_account: null,
    expires_at: fields.expires_at ?? null,
    livemode: false,
    max_redemptions: fields.max_redemptions ?? null,
    metadata: mergeMetadata({}, fields.metadata),
    promotion: { coupon: promotion.coupon, type: "coupon" },
    restrictions: {
      first_time_transaction: restrictions?.first_time_transaction ?? false,
      minimum_amount: restrictions?.minimum_amount ?? null,
      minimum_amount_currency: restrictions?.minimum_amount_currency ?? null,
    },
    times_redeemed: 0,
  };
  await insertObject(tx, promotionCode);
  await recordEvent(tx, { type: "promotion_code.created", data: { object: promotionCode } });
  return promotionCode;
}

function newCode(): string {
  const letters = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  return Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join("");
}

/** The code somebody typed, in whatever case. */
export async function findActiveCode(
  tx: Transaction,
  code: string,
): Promise<Stripe.PromotionCode | undefined> {
  const { rows } = await tx.client.query<{ object: Stripe.PromotionCode }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = 'promotion_code' AND object @> '{"active": true}' AND lower(object->>'code') = lower($1)`,
    [code],
  );
  return rows[0]?.object;
}

export async function retrievePromotionCode({ tx, id }: ApiCall): Promise<Stripe.PromotionCode> {
  return findOr404(tx, "promotion_code", id);
}

const updateSchema = z.strictObject({ active: boolean.optional(), metadata });

export async function updatePromotionCode({ tx, params, id }: ApiCall): Promise<Stripe.PromotionCode> {
  const { metadata, ...changes } = readParams(updateSchema, params);
  const before = await lockOr404(tx, "promotion_code", id);
  const after = { ...before, ...changes, metadata: mergeMetadata(before.metadata ?? {}, metadata) };
  const previous = previousAttributes(before, after);
  if (!previous) return before;
  await replaceObject(tx, after);
  const data = { object: after, previous_attributes: previous };
  await recordEvent(tx, { type: "promotion_code.updated", data });
  return after;
}

const listSchema = z.strictObject({
  ...pageParams,
  active: boolean.optional(),
  code: text.optional(),
  coupon: text.optional(),
  customer: text.optional(),
});

export async function listPromotionCodes({ tx, params }: ApiCall) {
  const { active, code, coupon, customer, ...range } = readParams(listSchema, params);
  const having = { active, code, customer, ...(coupon && { promotion: { coupon } }) };
  return listObjects(tx, "promotion_code", "/v1/promotion_codes", { ...range, having });
}

interface Purchase {
  customer: string;
  /** In minor units. */
  amount: number;
  currency: string;
}

/** Why a promotion code is of no use for a purchase; null when it can be redeemed. */
export async function refusalOfCode(
  tx: Transaction,
  promotionCode: Stripe.PromotionCode,
  { customer, amount, currency }: Purchase,
): Promise<string | null> {
  const { restrictions, expires_at, max_redemptions, times_redeemed, promotion } = promotionCode;
  const coupon = await findObject(tx, "coupon", String(promotion.coupon));
  const isOver = expires_at !== null && expires_at <= tx.now;
  const isUsedUp = max_redemptions !== null && times_redeemed >= max_redemptions;
  if (!promotionCode.active || isOver || isUsedUp || !coupon || !currentCoupon(tx, coupon).valid) {
    return "This promotion code is no longer valid.";
  }
  if (promotionCode.customer && promotionCode.customer !== customer) {
    return "This promotion code cannot be redeemed by this customer.";
  }
  if (restrictions.first_time_transaction && (await hasPaid(tx, customer))) {
    return "This promotion code cannot be redeemed because the associated customer has prior transactions.";
  }
  const { minimum_amount, minimum_amount_currency } = restrictions;
  if (minimum_amount !== null && minimum_amount_currency === currency && amount < minimum_amount) {
    return "This promotion code cannot be redeemed because the purchase does not meet its minimum amount.";
  }
  return coupon.currency !== null && coupon.currency !== currency
    ? "This promotion code is for another currency."
    : null;
}

async function hasPaid(tx: Transaction, customer: string): Promise<boolean> {
  const { data } = await listObjects(tx, "charge", "", { limit: 1, having: { customer, paid: true } });
  return data.length > 0;
}
