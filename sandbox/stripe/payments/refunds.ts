import type Stripe from "stripe";
import { listObjects } from "../store.ts";
import type { Transaction } from "../transaction.ts";

/** The `refunds` of a charge, which are shown only when expanded. */
export async function refundsOf(tx: Transaction, charge: string): Promise<Stripe.ApiList<Stripe.Refund>> {
  return listObjects(tx, "refund", `/v1/charges/${charge}/refunds`, { limit: 10, having: { charge } });
}
