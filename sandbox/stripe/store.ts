import { randomInt } from "node:crypto";
import type Stripe from "stripe";
import { resourceMissing } from "./api/errors.ts";
import { integerBetween, text } from "./api/params.ts";
import type { Transaction } from "./transaction.ts";

/**
 * The kinds of object the sandbox stores, by the names Stripe gives them in `object`.
 * As JSON they hold a string where the SDK's types say Decimal; the SDK converts it.
 */
interface Kinds {
  customer: Stripe.Customer | Stripe.DeletedCustomer;
  product: Stripe.Product;
  price: Stripe.Price;
  "checkout.session": Stripe.Checkout.Session;
  subscription: Stripe.Subscription;
  subscription_schedule: Stripe.SubscriptionSchedule;
  "test_helpers.test_clock": Stripe.TestHelpers.TestClock;
  invoice: Stripe.Invoice;
  invoiceitem: Stripe.InvoiceItem;
  invoice_payment: Stripe.InvoicePayment;
  payment_method: Stripe.PaymentMethod;
  payment_intent: Stripe.PaymentIntent;
  setup_intent: Stripe.SetupIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  coupon: Stripe.Coupon | Stripe.DeletedCoupon;
  promotion_code: Stripe.PromotionCode;
  discount: Stripe.Discount;
  customer_balance_transaction: Stripe.CustomerBalanceTransaction;
  event: Stripe.EventBase;
}
export type Kind = keyof Kinds;

/** Adds an object; false when its id is already taken. */
export async function insertObject(tx: Transaction, object: Kinds[Kind]): Promise<boolean> {
  const { rowCount } = await tx.client.query(
    "INSERT INTO sandbox_stripe.objects (object) VALUES ($1) ON CONFLICT (id) DO NOTHING",
    [JSON.stringify(object)],
  );
  return rowCount === 1;
}

export async function findObject<K extends Kind>(
  tx: Transaction,
  kind: K,
  id: string,
): Promise<Kinds[K] | undefined> {
  const { rows } = await tx.client.query<{ object: Kinds[K] }>(
    "SELECT object FROM sandbox_stripe.objects WHERE id = $1 AND kind = $2",
    [id, kind],
  );
  return rows[0]?.object;
}

/** The object a URL names. @throws Stripe's 404 */
export async function findOr404<K extends Kind>(tx: Transaction, kind: K, id: string): Promise<Kinds[K]> {
  const object = await findObject(tx, kind, id);
  if (!object) throw resourceMissing(kind, id);
  return object;
}

/** The object a URL names, locked until the transaction ends. @throws Stripe's 404 */
export async function lockOr404<K extends Kind>(tx: Transaction, kind: K, id: string): Promise<Kinds[K]> {
  const { rows } = await tx.client.query<{ object: Kinds[K] }>(
    "SELECT object FROM sandbox_stripe.objects WHERE id = $1 AND kind = $2 FOR UPDATE",
    [id, kind],
  );
  if (!rows[0]) throw resourceMissing(kind, id);
  return rows[0].object;
}

/** Replaces an object that this transaction has locked. */
export async function replaceObject(tx: Transaction, object: Kinds[Kind]): Promise<void> {
  await tx.client.query("UPDATE sandbox_stripe.objects SET object = $2 WHERE id = $1", [
    object.id,
    JSON.stringify(object),
  ]);
}

/** The parameters every list endpoint takes: https://docs.stripe.com/api/pagination */
export const pageParams = {
  limit: integerBetween(1, 100).default(10),
  starting_after: text.optional(),
};

interface Filter {
  limit: number;
  starting_after?: string | undefined;
  /** Only objects that have all of these fields. */
  having?: object;
  /** No object that has these fields. */
  except?: object;
}

/** One page, newest first. */
export async function listObjects<K extends Kind>(
  tx: Transaction,
  kind: K,
  url: string,
  { limit, starting_after, having = {}, except }: Filter,
): Promise<Stripe.ApiList<Kinds[K]>> {
  if (starting_after !== undefined && !(await findObject(tx, kind, starting_after))) {
    throw resourceMissing(kind, starting_after, "starting_after");
  }
  const { rows } = await tx.client.query<{ object: Kinds[K] }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = $1 AND object @> $2 AND ($3::jsonb IS NULL OR NOT object @> $3)
       AND ($4::text IS NULL OR sequence < (SELECT sequence FROM sandbox_stripe.objects WHERE id = $4))
     ORDER BY sequence DESC LIMIT $5`,
    [kind, JSON.stringify(having), except ? JSON.stringify(except) : null, starting_after ?? null, limit + 1],
  );
  const data = rows.slice(0, limit).map((row) => row.object);
  return { object: "list", data, has_more: rows.length > limit, url };
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** What the ids of each kind start with. */
type IdPrefix =
  | "cus"
  | "prod"
  | "price"
  | "cs_test"
  | "sub"
  | "si"
  | "sub_sched"
  | "in"
  | "il"
  | "ii"
  | "inpay"
  | "pm"
  | "pi"
  | "seti"
  | "ch"
  | "re"
  | "du"
  | "promo"
  | "di"
  | "cbtxn"
  | "clock"
  | "we"
  | "bps"
  | "bpc"
  | "evt"
  | "req";

/** A new id like Stripe's: a prefix for its kind, then random letters and digits: `cus_4fR…`. */
export function newId(prefix: IdPrefix): string {
  const letters = Array.from({ length: 24 }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${prefix}_${letters.join("")}`;
}
