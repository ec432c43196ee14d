import { randomInt } from "node:crypto";
import type Stripe from "stripe";
import { resourceMissing } from "./api/errors.ts";
import type { Transaction } from "./transaction.ts";

/**
 * The kinds of object the sandbox stores, by the names Stripe gives them in `object`.
 * As JSON they hold a string where the SDK's types say Decimal; the SDK converts it.
 */
interface Kinds {
  customer_balance_transaction: Stripe.CustomerBalanceTransaction;
  customer: Stripe.Customer | Stripe.DeletedCustomer;
  product: Stripe.Product;
  price: Stripe.Price;
  "checkout.session": Stripe.Checkout.Session;
  subscription: Stripe.Subscription;
  subscription_schedule: Stripe.SubscriptionSchedule;
  "test_helpers.test_clock": Stripe.TestHelpers.TestClock;
  "billing_portal.session": Stripe.BillingPortal.Session;
  invoice: Stripe.Invoice;
  invoice_payment: Stripe.InvoicePayment;
  payment_method: Stripe.PaymentMethod;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  coupon: Stripe.Coupon;
  discount: Stripe.Discount;
  event: Stripe.EventBase;
}
export type Kind = keyof Kinds;
export type StoredObject = Kinds[Kind];

type Some<T> = T extends object ? { [Name in keyof T]?: Some<T[Name]> | undefined } : T;

/** An object with the fields of Stripe's that the sandbox has; those that would be empty in every answer are left out. */
export function stripeObject<T>(fields: Some<T>): T {
  return fields as T;
}

/** Adds an object; false when its id is already taken. */
export async function insertObject(tx: Transaction, object: StoredObject): Promise<boolean> {
  const { rowCount } = await tx.client.query(
    "INSERT INTO sandbox_stripe.objects (object) VALUES ($1) ON CONFLICT (id) DO NOTHING",
    [JSON.stringify(object)],
  );
  return rowCount === 1;
}

/** Replaces an object that this transaction has locked. */
export async function replaceObject(tx: Transaction, object: StoredObject): Promise<void> {
  await tx.client.query("UPDATE sandbox_stripe.objects SET object = $2 WHERE id = $1", [
    object.id,
    JSON.stringify(object),
  ]);
}

export const findObject = finder("");
/** Locks the object until the transaction ends. */
export const lockObject = finder("FOR UPDATE");
/** The object a URL names. @throws Stripe's 404 */
export const findOr404 = or404(findObject);
/** The object a URL names, locked until the transaction ends. @throws Stripe's 404 */
export const lockOr404 = or404(lockObject);

type Find = <K extends Kind>(tx: Transaction, kind: K, id: string) => Promise<Kinds[K] | undefined>;

function finder(locking: "" | "FOR UPDATE"): Find {
  const statement = `SELECT object FROM sandbox_stripe.objects WHERE id = $1 AND kind = $2 ${locking}`;
  return async (tx, kind, id) => (await tx.client.query(statement, [id, kind])).rows[0]?.object;
}

function or404(find: Find) {
  return async <K extends Kind>(tx: Transaction, kind: K, id: string): Promise<Kinds[K]> => {
    const object = await find(tx, kind, id);
    if (!object) throw resourceMissing(kind, id);
    return object;
  };
}

export interface Filter {
  having?: object;
  /** Only objects that have all of the fields of at least one of these. */
  havingOneOf?: object[] | undefined;
  except?: object | undefined;
}

/** https://docs.stripe.com/api/pagination; times in unix seconds. */
export interface Page {
  limit?: number;
  starting_after?: string | undefined;
  created?: { gte?: number | undefined; lte?: number | undefined } | undefined;
}

/** One page, newest first. */
export async function listObjects<K extends Kind>(
  tx: Transaction,
  kind: K,
  { limit = 100, starting_after, created, having = {}, havingOneOf, except }: Filter & Page,
): Promise<{ object: "list"; data: Kinds[K][]; has_more: boolean }> {
  if (starting_after !== undefined && !(await findObject(tx, kind, starting_after)))
    throw resourceMissing(kind, starting_after, "starting_after");
  const { rows } = await tx.client.query<{ object: Kinds[K] }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = $1 AND object @> $2 AND ($3::jsonb IS NULL OR NOT object @> $3)
       AND ($4::jsonb[] IS NULL OR object @> ANY ($4))
       AND ($5::float8 IS NULL OR (object->>'created')::float8 >= $5)
       AND ($6::float8 IS NULL OR (object->>'created')::float8 <= $6)
       AND ($7::text IS NULL OR sequence < (SELECT sequence FROM sandbox_stripe.objects WHERE id = $7))
     ORDER BY sequence DESC LIMIT $8`,
    [
      kind,
      JSON.stringify(having),
      except ? JSON.stringify(except) : null,
      havingOneOf?.map((fields) => JSON.stringify(fields)) ?? null,
      created?.gte ?? null,
      created?.lte ?? null,
      starting_after ?? null,
      limit + 1,
    ],
  );
  const data = rows.slice(0, limit).map((row) => row.object);
  return { object: "list", data, has_more: rows.length > limit };
}

/** The newest 100 objects that have these fields. */
export async function findAll<K extends Kind>(tx: Transaction, kind: K, having: object): Promise<Kinds[K][]> {
  return (await listObjects(tx, kind, { having })).data;
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A new id like Stripe's: a prefix for its kind, then random letters and digits: `cus_4fR…`. */
export function newId(prefix: string): string {
  const letters = Array.from({ length: 24 }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${prefix}_${letters.join("")}`;
}
