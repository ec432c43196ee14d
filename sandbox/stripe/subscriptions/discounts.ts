import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing } from "../api/errors.ts";
import { text } from "../api/params.ts";
import { addDiscount } from "../coupons/discounts.ts";
import { findObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

export const discountParam = z.strictObject({
  coupon: text.optional(),
  promotion_code: text.optional(),
  discount: text.optional(),
});

/** The ids of the discounts that the parameters name, redeemed where they are coupons. @throws Stripe's 400 */
export async function redeemDiscounts(
  tx: Transaction,
  subscription: Stripe.Subscription,
  params: z.output<typeof discountParam>[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const [at, { coupon, promotion_code, discount }] of params.entries()) {
    if (discount !== undefined) {
      if (!(await findObject(tx, "discount", discount))) {
        throw resourceMissing("discount", discount, `discounts[${at}][discount]`);
      }
      ids.push(discount);
      continue;
    }
    const code = promotion_code === undefined ? undefined : await activeCode(tx, promotion_code, at);
    const id = coupon ?? code?.coupon ?? "";
    const found = await findObject(tx, "coupon", id);
    if (!found || found.deleted || !found.valid) {
      throw resourceMissing("coupon", id, `discounts[${at}][coupon]`);
    }
    const redeemed = await addDiscount(tx, {
      coupon: found,
      promotion_code: code?.promotionCode ?? null,
      customer: String(subscription.customer),
      subscription: subscription.id,
    });
    ids.push(redeemed.id);
  }
  return ids;
}

async function activeCode(tx: Transaction, id: string, at: number) {
  const promotionCode = await findObject(tx, "promotion_code", id);
  if (!promotionCode?.active) {
    throw resourceMissing("promotion code", id, `discounts[${at}][promotion_code]`);
  }
  return { promotionCode, coupon: String(promotionCode.promotion.coupon) };
}
