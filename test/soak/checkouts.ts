import { createSignedInUsers } from "../users.ts";
import { postAt, type Site } from "./site.ts";

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
  const { pathname } = new URL(buyer.paymentPage ?? "");
  const response = await fetch(`${origin}${pathname}/pay`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: new URL(buyer.paymentPage ?? "").origin },
    body: new URLSearchParams(),
  });
  const location = response.headers.get("location");
  if (response.status === 303 && location) buyer.returnUrl = location;
}

/**
 * Reports, a line each, buyers with anything but one customer, one subscription and one plan in force.
 *
 * @param buyers those who have paid
 */
export async function compareBuyers(
  { stripe, pool }: Pick<Site, "stripe" | "pool">,
  buyers: Buyer[],
): Promise<string[]> {
  const customers = await stripe.customers.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
  const subscriptions = await stripe.subscriptions
    .list({ limit: 100, status: "all" })
    .autoPagingToArray({ limit: 10_000 });
  const { rows } = await pool.query(
    `SELECT user_id, stripe_customer_id, (SELECT count(*)::int FROM user_subscriptions WHERE user_id = customers.user_id AND source = 'paid') AS held,
       (SELECT count(*)::int FROM checkout_attempts WHERE user_id = customers.user_id AND status = 'open') AS open
     FROM customers`,
  );
  return buyers.flatMap(({ id }) => {
    const theirs = customers.filter((customer) => customer.metadata.user_id === id);
    const bought = subscriptions.filter(({ customer }) => theirs.some((each) => each.id === customer));
    const [row] = rows.filter(({ user_id }) => user_id === id);
    const is = `${theirs.length} customers, ${bought.length} subscriptions, ${row?.held} plans, ${row?.open} open attempts`;
    return is === "1 customers, 1 subscriptions, 1 plans, 0 open attempts" ? [] : [`${id} has ${is}`];
  });
}
