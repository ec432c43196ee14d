import type Stripe from "stripe";

/** Cards, payments without a subscription, refunds and disputes. */
export async function walkPayments(stripe: Stripe): Promise<void> {
  const { id: customer } = await stripe.customers.create({ email: "pays@own.example" });
  const card = { number: "4242424242424242", exp_month: 12, exp_year: 2040, cvc: "123" };
  const { id: payment_method } = await stripe.paymentMethods.create({ type: "card", card });
  await stripe.paymentMethods.attach(payment_method, { customer });
  await stripe.paymentMethods.list({ customer });
  await stripe.paymentMethods.retrieve(payment_method);
  await stripe.paymentMethods.update(payment_method, { card: { exp_year: 2041 } });
  await stripe.customers.listPaymentMethods(customer);

  const setup = await stripe.setupIntents.create({ customer, payment_method: "pm_card_mastercard" });
  await stripe.setupIntents.list({ customer });
  await stripe.setupIntents.retrieve(setup.id);
  const saved = await stripe.setupIntents.confirm(setup.id);
  await stripe.paymentMethods.detach(String(saved.payment_method));

  const payment = { amount: 500, currency: "usd", customer };
  const intent = await stripe.paymentIntents.create({ ...payment, payment_method });
  await stripe.paymentIntents.list({ customer });
  await stripe.paymentIntents.retrieve(intent.id);
  await stripe.paymentIntents.confirm(intent.id);
  const [charge] = (await stripe.charges.list({ customer })).data;
  await stripe.charges.retrieve(charge?.id ?? "");

  await stripe.customers.createBalanceTransaction(customer, { amount: -100, currency: "usd" });
  await stripe.customers.listBalanceTransactions(customer);

  const refund = await stripe.refunds.create({ payment_intent: intent.id, amount: 200 });
  await stripe.refunds.list({ payment_intent: intent.id });
  await stripe.refunds.retrieve(refund.id);
  await stripe.refunds.update(refund.id, { metadata: { why: "walk" } });

  await stripe.paymentIntents.create({
    ...payment,
    payment_method: "pm_card_createDispute",
    confirm: true,
  });
  const [dispute] = (await stripe.disputes.list()).data;
  if (!dispute) throw new Error("The payment was not disputed");
  await stripe.disputes.retrieve(dispute.id);
  await stripe.disputes.update(dispute.id, { metadata: { why: "walk" } });
  await stripe.disputes.close(dispute.id);
}

/** The hosted checkout and the billing portal. */
export async function walkPages(stripe: Stripe): Promise<void> {
  const { id: customer } = await stripe.customers.create({ email: "sees@own.example" });
  const session = await stripe.checkout.sessions.create({
    mode: "subscription",
    customer,
    line_items: [{ price: "price_csv_only_monthly", quantity: 1 }],
    success_url: "http://shop.example/",
  });
  await stripe.checkout.sessions.list({ customer });
  await stripe.checkout.sessions.retrieve(session.id);
  await stripe.checkout.sessions.update(session.id, { metadata: { why: "walk" } });
  await stripe.checkout.sessions.listLineItems(session.id);
  await stripe.checkout.sessions.expire(session.id);

  const features = { invoice_history: { enabled: true } };
  const configuration = await stripe.billingPortal.configurations.create({ features });
  await stripe.billingPortal.configurations.list();
  await stripe.billingPortal.configurations.retrieve(configuration.id);
  await stripe.billingPortal.configurations.update(configuration.id, { name: "Walk" });
  await stripe.billingPortal.sessions.create({ customer, configuration: configuration.id });
}
