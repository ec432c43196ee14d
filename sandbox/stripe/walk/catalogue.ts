import type Stripe from "stripe";

/** Customers, products, prices, coupons and codes. */
export async function walkCatalogue(stripe: Stripe): Promise<void> {
  const customer = await stripe.customers.create({ email: "walk@own.example", name: "Ada" });
  await stripe.customers.list({ email: "walk@own.example" });
  await stripe.customers.retrieve(customer.id);
  await stripe.customers.update(customer.id, { name: "Ada Lovelace" });

  const product = await stripe.products.create({ name: "Walked", metadata: { tier: "basic" } });
  await stripe.products.list({ active: true });
  await stripe.products.retrieve(product.id);
  await stripe.products.update(product.id, { description: "For a walk" });
  const recurring = { interval: "month" } as const;
  const price = await stripe.prices.create({
    product: product.id,
    currency: "usd",
    unit_amount: 100,
    recurring,
  });
  await stripe.prices.list({ product: product.id });
  await stripe.prices.retrieve(price.id);
  await stripe.prices.update(price.id, { active: false });
  await stripe.products.del((await stripe.products.create({ name: "Mistake" })).id);

  const coupon = await stripe.coupons.create({ percent_off: 10, duration: "once" });
  await stripe.coupons.list();
  await stripe.coupons.retrieve(coupon.id);
  await stripe.coupons.update(coupon.id, { name: "A tenth" });
  const code = await stripe.promotionCodes.create({
    promotion: { type: "coupon", coupon: coupon.id },
    code: "WALK",
  });
  await stripe.promotionCodes.list({ code: "WALK" });
  await stripe.promotionCodes.retrieve(code.id);
  await stripe.promotionCodes.update(code.id, { active: false });
  await stripe.coupons.del(coupon.id);
  // Refused: no parameter of this version gives a customer a discount.
  await stripe.customers.deleteDiscount(customer.id).catch(() => {});
  await stripe.customers.del(customer.id);
}

/** The account, events and webhooks. */
export async function walkAccount(stripe: Stripe): Promise<void> {
  await stripe.accounts.retrieveCurrent();
  await stripe.balance.retrieve();
  const [event] = (await stripe.events.list({ limit: 1 })).data;
  await stripe.events.retrieve(event?.id ?? "");
  const endpoint = await stripe.webhookEndpoints.create({
    url: "http://localhost:9/hook",
    enabled_events: ["customer.created"],
  });
  await stripe.webhookEndpoints.list();
  await stripe.webhookEndpoints.retrieve(endpoint.id);
  await stripe.webhookEndpoints.update(endpoint.id, { disabled: true });
  await stripe.webhookEndpoints.del(endpoint.id);
}
