import { and, asc, eq, gt, gte, notInArray, or, sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import { prices, products } from "./catalogue-schema.ts";
import type { Price } from "./plans.ts";
import { stripeSubscriptions } from "./schema.ts";

/** Stripe's statuses of subscriptions that are over, or for which nothing was ever paid. */
const UNPAID_STATUSES = ["canceled", "incomplete", "incomplete_expired"];

/** A price that is no longer on sale, which subscriptions go on being paid by. */
export interface RetiredPrice extends Price {
  plan: string;
  /** How many subscriptions that have not ended have it. */
  subscriptions: number;
  /** Whether these are all. */
  isAll: boolean;
}

/**
 * The prices that customers pay although they are not on sale any more.
 *
 * @param onSale the ids of those that are
 * @param lookAt at most so many subscriptions of each price are looked at, so that it costs the same however many there are
 */
export async function listRetiredPrices(
  db: Database,
  onSale: readonly string[],
  lookAt: number,
): Promise<RetiredPrice[]> {
  const { id, unitAmount, currency, interval } = prices;
  const looked = db
    .select({ status: stripeSubscriptions.status })
    .from(stripeSubscriptions)
    .where(eq(stripeSubscriptions.priceId, id))
    .limit(lookAt)
    .as("looked");
  const counted = db
    .select({
      paid: sql<number>`(count(*) FILTER (WHERE ${notInArray(looked.status, UNPAID_STATUSES)}))::int`.as(
        "paid",
      ),
      all: sql<number>`count(*)::int`.as("all_of_it"),
    })
    .from(looked)
    .as("counted");
  const rows = await db.transaction(async (tx) => {
    // Otherwise PostgreSQL, expecting every price to have many, reads the whole table to find none for the others.
    await tx.execute(
      sql`SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
    );
    return tx
      .select({
        id,
        unitAmount,
        currency,
        interval,
        plan: products.name,
        paid: counted.paid,
        all: counted.all,
      })
      .from(prices)
      .innerJoin(products, eq(products.id, prices.productId))
      .innerJoinLateral(counted, sql`true`)
      .where(and(or(gt(counted.paid, 0), gte(counted.all, lookAt)), notInArray(prices.id, [...onSale])))
      .orderBy(asc(products.name), asc(prices.id));
  });
  return rows.map(({ paid, all, ...price }) => ({
    ...price,
    subscriptions: paid,
    isAll: all < lookAt,
  }));
}
