import { postAt, type Site } from "./running-site.ts";
import { createSignedInUsers } from "./users.ts";

/** A user's progress through a checkout. Each step can be repeated, as a user would after an error. */
export interface Buyer {
  id: string;
  cookie: string;
  /** The payment page, once there is one. */
  paymentPage: string | null;
  /** Where the payment page redirected. */
  returnUrl: string | null;
}

export async function createBuyers({ pool }: Pick<Site, "pool">, count: number): Promise<Buyer[]> {
  const users = await createSignedInUsers(pool, count);
  return users.map((user) => ({ ...user, paymentPage: null, returnUrl: null }));
}

/** Presses the plan page's button, without JavaScript. @returns the status */
export async function choosePlan(
  origin: string,
  publicOrigin: string,
  buyer: Buyer,
  price = "price_csv_banking_yearly",
): Promise<{ status: number; page: string }> {
  const response = await postAt(origin, { origin: publicOrigin }, "/subscription", { price }, buyer.cookie);
  const location = response.headers.get("location");
  if (response.status === 303 && location?.includes("/sandbox/stripe/checkout/"))
    buyer.paymentPage = location;
  return { status: response.status, page: await response.text() };
}

/** Presses the payment page's button. */
export async function payAt(origin: string, buyer: Buyer): Promise<void> {
  const page = new URL(buyer.paymentPage ?? "");
  const response = await postAt(origin, page, `${page.pathname}/pay`, {});
  const location = response.headers.get("location");
  if (response.status === 303 && location) buyer.returnUrl = location;
}

/**
 * Reports, a line each, buyers with anything but one customer, one subscription and one plan in force.
 *
 * @param buyers those who have paid
 */
export async function compareBuyers({ pool }: Pick<Site, "pool">, buyers: Buyer[]): Promise<string[]> {
  const { rows } = await pool.query(
    `WITH stripe AS (SELECT id, kind, object->>'customer' AS customer, object #>> '{metadata,user_id}' AS user_id
       FROM sandbox_stripe.objects WHERE kind IN ('customer', 'subscription'))
     SELECT buyer, format('%s customers, %s subscriptions, %s plans, %s open attempts',
       (SELECT count(*) FROM stripe WHERE user_id = buyer),
       (SELECT count(*) FROM stripe JOIN stripe AS of ON of.id = stripe.customer WHERE of.user_id = buyer),
       (SELECT count(*) FROM user_subscriptions WHERE user_id = buyer AND source = 'paid'),
       (SELECT count(*) FROM checkout_attempts WHERE user_id = buyer AND status = 'open')) AS has
     FROM unnest($1::text[]) AS buyer`,
    [buyers.map(({ id }) => id)],
  );
  return rows.flatMap(({ buyer, has }) =>
    has === "1 customers, 1 subscriptions, 1 plans, 0 open attempts" ? [] : [`${buyer} has ${has}`],
  );
}
