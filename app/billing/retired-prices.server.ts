import { and, asc, count, eq, notInArray } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import type { Price } from "./plans.ts";
import { prices, products, stripeSubscriptions } from "./schema.ts";

/** Stripe's statuses of subscriptions that are over, or for which nothing was ever paid. */
const UNPAID_STATUSES = ["canceled", "incomplete", "incomplete_expired"];

/** A price that is no longer on sale, which subscriptions go on being paid by. */
export interface RetiredPrice extends Price {
  plan: string;
  /** How many subscriptions that have not ended have it. */
  subscriptions: number;
}

/** The prices that customers pay although they are not on sale any more. @param onSale their ids */
export async function listRetiredPrices(db: Queryable, onSale: readonly string[]): Promise<RetiredPrice[]> {
  const { id, unitAmount, currency, interval } = prices;
  return db
    .select({ id, unitAmount, currency, interval, plan: products.name, subscriptions: count() })
    .from(stripeSubscriptions)
    .innerJoin(prices, eq(prices.id, stripeSubscriptions.priceId))
    .innerJoin(products, eq(products.id, prices.productId))
    .where(and(notInArray(stripeSubscriptions.status, UNPAID_STATUSES), notInArray(prices.id, [...onSale])))
    .groupBy(prices.id, products.name)
    .orderBy(asc(products.name), asc(prices.id));
}
