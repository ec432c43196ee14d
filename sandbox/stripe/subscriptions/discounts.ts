import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing } from "../api/errors.ts";
import { text } from "../api/params.ts";
import { addDiscount } from "../coupons/discounts.ts";
import { redeemable } from "../coupons/redemption.ts";
import { findObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** One of the `discounts`: a coupon, a promotion code, or a discount that is there already. */
export const discountParam = z.union([
  z.strictObject({ coupon: text }),
  z.strictObject({ promotion_code: text }),
  z.strictObject({ discount: text }),
]);

/** The ids of the discounts that the parameters name, redeemed where they are coupons. @throws Stripe's 400 */
export async function redeemDiscounts(
  tx: Transaction,
  subscription: Stripe.Subscription,
  params: z.output<typeof discountParam>[],
): Promise<string[]> {
  const customer = String(subscription.customer);
  const ids: string[] = [];
  for (const [at, asked] of params.entries()) {
    if ("discount" in asked) {
      if (!(await findObject(tx, "discount", asked.discount))) {
        throw resourceMissing("discount", asked.discount, `discounts[${at}][discount]`);
      }
      ids.push(asked.discount);
      continue;
    }
    const purchase = { customer, amount: amountOf(subscription), currency: subscription.currency };
    const redeemed = await redeemable(tx, asked, purchase, `discounts[${at}]`);
    ids.push((await addDiscount(tx, { ...redeemed, customer, subscription: subscription.id })).id);
  }
  return ids;
}

function amountOf({ items }: Stripe.Subscription): number {
  return items.data.reduce((sum, { price, quantity = 1 }) => sum + (price.unit_amount ?? 0) * quantity, 0);
}
