import { afterAll, beforeAll, expect, test } from "vitest";
import { type Buyer, createBuyers, payAt } from "../checkouts.ts";
import { openSite, type Site, settled } from "../running-site.ts";

const PRESSES = 50;
const PRICES = ["price_csv_only_monthly", "price_csv_banking_yearly"];

let site: Site;
beforeAll(async () => {
  site = await openSite(2);
});
afterAll(() => site.close());

const newBuyer = async () => (await createBuyers(site, 1))[0] as Buyer;

test(`${PRESSES} presses of one user on two processes: one customer, one page that can be paid, one subscription`, async () => {
  const buyer = await newBuyer();
  const answers = await Promise.all(Array.from({ length: PRESSES }, (_, press) => choose(buyer, press)));
  const urls = new Set(answers.flatMap(({ url }) => url ?? []));
  // A press that another plan's replaced ends without a page, and one past the limit is told to wait.
  for (const { status } of answers) expect([200, 409, 429]).toContain(status);

  const { customers, open } = await atStripe(buyer);
  expect(customers).toHaveLength(1);
  expect(open.length).toBeLessThanOrEqual(1);
  for (const paymentPage of urls) await payAt(site.origin, { ...buyer, paymentPage });
  await settled(site, 60);
  const { data } = await site.stripe.subscriptions.list({ customer: customers[0]?.id ?? "", status: "all" });
  expect(data.length).toBeLessThanOrEqual(1);
  const { rowCount } = await site.pool.query("SELECT FROM stripe_subscriptions WHERE user_id = $1", [
    buyer.id,
  ]);
  expect(rowCount).toBe(data.length);
});

test("the same test catches a checkout that looks for a customer first and creates one then", async () => {
  const buyer = await newBuyer();
  // Forces what a quick machine does by chance: none is created before all have looked.
  const { promise: haveAllLooked, resolve } = Promise.withResolvers<void>();
  let looking = PRESSES;
  await Promise.all(
    Array.from({ length: PRESSES }, async (_, press) => {
      const known = await site.stripe.customers.list({ email: `${buyer.id}@example.com` });
      if (--looking === 0) resolve();
      await haveAllLooked;
      const customer =
        known.data[0] ??
        (await site.stripe.customers.create({
          email: `${buyer.id}@example.com`,
          metadata: { user_id: buyer.id },
        }));
      await site.stripe.checkout.sessions.create({
        mode: "subscription",
        customer: customer.id,
        line_items: [{ price: PRICES[press % 2] ?? "", quantity: 1 }],
        success_url: `${site.origin}/dashboard`,
      });
    }),
  );
  const { customers, open } = await atStripe(buyer);
  console.log(`naive: ${customers.length} customers, ${open.length} pages that can be paid`);
  expect(customers.length).toBeGreaterThan(1);
  expect(open.length).toBeGreaterThan(1);
});

async function choose({ cookie }: Buyer, press: number): Promise<{ status: number; url?: string }> {
  const response = await fetch(
    `${site.origins[press % site.origins.length]}/functions/us-central1/createCheckoutSession`,
    {
      method: "POST",
      headers: { origin: site.origin, "content-type": "application/json", cookie },
      body: JSON.stringify({
        data: {
          price: PRICES[press % 3 === 0 ? 0 : 1],
          success_url: `${site.origin}/dashboard`,
          cancel_url: `${site.origin}/subscription`,
        },
      }),
    },
  );
  const { data } = await response.json();
  return { status: response.status, url: data?.url };
}

/** The customers with this user's number, and their sessions that can be paid. */
async function atStripe({ id }: Buyer) {
  const all = await site.stripe.customers.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
  const customers = all.filter(({ metadata }) => metadata.user_id === id);
  const sessions = await Promise.all(
    customers.map((customer) =>
      site.stripe.checkout.sessions.list({ customer: customer.id, status: "open", limit: 100 }),
    ),
  );
  return { customers, open: sessions.flatMap(({ data }) => data) };
}
