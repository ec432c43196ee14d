import type Stripe from "stripe";
import { metadataOf, SPEC_CURRENCY, SPEC_PLANS, type SpecPlan } from "./spec-plans.ts";
import { nullIfMissing } from "./stripe.server.ts";

const MAX_PRODUCTS = 100;

/**
 * Creates the specification's missing plans at Stripe, unless the account sells anything else. @throws Stripe's errors
 * @returns the created product ids and lookup keys; or the names of the products because of which it did nothing
 */
export async function pushPlans(stripe: Stripe) {
  const { data: products } = await stripe.products.list({ active: true, limit: MAX_PRODUCTS });
  const others = products.filter(({ id }) => !SPEC_PLANS.some((plan) => plan.id === id));
  if (others.length > 0) return { ok: false as const, others: others.map(({ name }) => name) };

  const created: string[] = [];
  for (const plan of SPEC_PLANS) {
    if (await createMissingProduct(stripe, plan)) created.push(plan.id);
    for (const { lookupKey, unitAmount, interval } of await missingPrices(stripe, plan)) {
      await stripe.prices.create({
        product: plan.id,
        currency: SPEC_CURRENCY,
        unit_amount: unitAmount,
        recurring: { interval },
        lookup_key: lookupKey,
      });
      created.push(lookupKey);
    }
  }
  const names = SPEC_PLANS.flatMap(({ id, prices }) => [id, ...prices.map(({ lookupKey }) => lookupKey)]);
  return { ok: true as const, created, existing: names.filter((name) => !created.includes(name)) };
}

/** Its id is fixed, so that it exists once. @returns whether it was missing */
async function createMissingProduct(stripe: Stripe, plan: SpecPlan): Promise<boolean> {
  const { id, name, description } = plan;
  if (await nullIfMissing(stripe.products.retrieve(id))) return false;
  await stripe.products.create({ id, name, description, metadata: metadataOf(plan) });
  return true;
}

/** An archived price is not recreated. */
async function missingPrices(stripe: Stripe, { id, prices }: SpecPlan): Promise<SpecPlan["prices"]> {
  const lookup_keys = prices.map(({ lookupKey }) => lookupKey);
  const [byKey, active] = await Promise.all([
    stripe.prices.list({ lookup_keys }),
    stripe.prices.list({ product: id, active: true, currency: SPEC_CURRENCY, limit: MAX_PRODUCTS }),
  ]);
  return prices.filter(
    ({ lookupKey, interval }) =>
      !byKey.data.some(({ lookup_key }) => lookup_key === lookupKey) &&
      !active.data.some(
        ({ recurring }) => recurring?.interval === interval && recurring.interval_count === 1,
      ),
  );
}
