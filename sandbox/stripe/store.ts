import { randomInt } from "node:crypto";
import type Stripe from "stripe";
import { z } from "zod";
import { resourceMissing } from "./api/errors.ts";
import { integer, integerBetween, text } from "./api/params.ts";
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
  "billing_portal.session": Stripe.BillingPortal.Session;
  invoice: Stripe.Invoice;
  invoiceitem: Stripe.InvoiceItem;
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
  const object = await lockObject(tx, kind, id);
  if (!object) throw resourceMissing(kind, id);
  return object;
}

/** An object, locked until the transaction ends. */
export async function lockObject<K extends Kind>(
  tx: Transaction,
  kind: K,
  id: string,
): Promise<Kinds[K] | undefined> {
  const { rows } = await tx.client.query<{ object: Kinds[K] }>(
    "SELECT object FROM sandbox_stripe.objects WHERE id = $1 AND kind = $2 FOR UPDATE",
    [id, kind],
  );
  return rows[0]?.object;
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
  ending_before: text.optional(),
};

/** A time in unix seconds, or a range of times. */
export const createdParam = z
  .union([
    integer,
    z.strictObject({
      gt: integer.optional(),
      gte: integer.optional(),
      lt: integer.optional(),
      lte: integer.optional(),
    }),
  ])
  .optional();

interface Filter {
  limit: number;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
  created?: z.output<typeof createdParam>;
  /** Only objects that have all of these fields. */
  having?: object;
  /** Only objects that have all of the fields of at least one of these. */
  havingOneOf?: object[] | undefined;
  /** No object that has these fields. */
  except?: object | undefined;
}

/** One page, newest first. */
export async function listObjects<K extends Kind>(
  tx: Transaction,
  kind: K,
  url: string,
  { limit, starting_after, ending_before, created, having = {}, havingOneOf, except }: Filter,
): Promise<Stripe.ApiList<Kinds[K]>> {
  for (const [param, id] of Object.entries({ starting_after, ending_before })) {
    if (id !== undefined && !(await findObject(tx, kind, id))) throw resourceMissing(kind, id, param);
  }
  const { from, before } = rangeOf(created);
  const { rows } = await tx.client.query<{ object: Kinds[K] }>(
    `SELECT object FROM sandbox_stripe.objects
     WHERE kind = $1 AND object @> $2 AND ($3::jsonb IS NULL OR NOT object @> $3)
       AND ($4::jsonb[] IS NULL OR object @> ANY ($4))
       AND ($5::float8 IS NULL OR (object->>'created')::float8 >= $5)
       AND ($6::float8 IS NULL OR (object->>'created')::float8 < $6)
       AND ($7::text IS NULL OR sequence < (SELECT sequence FROM sandbox_stripe.objects WHERE id = $7))
       AND ($8::text IS NULL OR sequence > (SELECT sequence FROM sandbox_stripe.objects WHERE id = $8))
     ORDER BY sequence ${ending_before === undefined ? "DESC" : "ASC"} LIMIT $9`,
    [
      kind,
      JSON.stringify(having),
      except ? JSON.stringify(except) : null,
      havingOneOf?.map((fields) => JSON.stringify(fields)) ?? null,
      from,
      before,
      starting_after ?? null,
      ending_before ?? null,
      limit + 1,
    ],
  );
  const data = rows.slice(0, limit).map((row) => row.object);
  // The page before an object is read from there backwards.
  if (ending_before !== undefined) data.reverse();
  return { object: "list", data, has_more: rows.length > limit, url };
}

/** The bounds in whole seconds: `from` included, `before` not. */
function rangeOf(created: z.output<typeof createdParam>): { from: number | null; before: number | null } {
  if (created === undefined) return { from: null, before: null };
  if (typeof created === "number") return { from: created, before: created + 1 };
  const { gt, gte, lt, lte } = created;
  return {
    from: gte ?? (gt === undefined ? null : gt + 1),
    before: lt ?? (lte === undefined ? null : lte + 1),
  };
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
  | "ch"
  | "re"
  | "du"
  | "coupon"
  | "di"
  | "clock"
  | "bps"
  | "evt"
  | "req";

/** A new id like Stripe's: a prefix for its kind, then random letters and digits: `cus_4fR…`. */
export function newId(prefix: IdPrefix): string {
  const letters = Array.from({ length: 24 }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${prefix}_${letters.join("")}`;
}
