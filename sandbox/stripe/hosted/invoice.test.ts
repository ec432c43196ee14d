import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCheckout, press, startTestSandbox, textOf } from "../../testing/stripe.ts";
import { customerOnClock, DAY, START } from "../clock.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

/** The invoice of a renewal that was tried with this card, after a first period that was paid. */
async function renewWith(card: string): Promise<{ customer: string; invoice: Stripe.Invoice }> {
  const { customer, subscribe, setCard, advance, invoices } = await customerOnClock(running.stripe);
  await subscribe("price_csv_banking_monthly");
  await setCard(card);
  await advance(START + 29 * DAY);
  const [invoice] = await invoices();
  if (!invoice) throw new Error("nothing was billed");
  return { customer: customer.id, invoice };
}

test("a paid invoice shows its lines and what was paid and given back, as a page and as a PDF", async () => {
  const { stripe } = running;
  const { customer, url } = await openCheckout(stripe);
  await press(url, "pay");
  const [invoice] = (await stripe.invoices.list({ customer, status: "paid" })).data;
  const page = await textOf(await fetch(invoice?.hosted_invoice_url ?? ""));
  expect(page).toContain("$49.99 Paid on ");
  expect(page).toContain(`Invoice number ${invoice?.number}`);
  expect(page).toContain("1 × CSV + Banking (at $49.99 / year)");
  expect(page).toContain("To ada@example.com");

  const [payment] = (await stripe.invoicePayments.list({ invoice: invoice?.id ?? "" })).data;
  await stripe.refunds.create({ payment_intent: String(payment?.payment.payment_intent), amount: 1000 });
  expect(await textOf(await fetch(invoice?.hosted_invoice_url ?? ""))).toContain(
    "Paid, and refunded in part",
  );

  const pdf = await fetch(invoice?.invoice_pdf ?? "");
  expect(pdf.headers.get("content-type")).toBe("application/pdf");
  const file = Buffer.from(await pdf.arrayBuffer()).toString("latin1");
  expect(file).toMatch(/^%PDF-1\.4/);
  expect(file).toContain(`(Invoice ${invoice?.number} `);
  expect(file).toMatch(/\(Refunded +-\$10\.00\)/);
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  expect(file.slice(start, start + 4)).toBe("xref");
});

test("an open invoice can be paid with another card, which the subscription keeps", async () => {
  const { stripe } = running;
  const { customer, invoice } = await renewWith("pm_card_chargeCustomerFail");
  const url = invoice.hosted_invoice_url ?? "";
  expect(invoice).toMatchObject({ status: "open", attempt_count: 1, amount_remaining: 499 });
  const page = await textOf(await fetch(url));
  expect(page).toContain("Your card was declined.");
  expect(page).toContain("Not paid yet");
  expect(page).toContain("Pay $4.99");

  const wrong = await press(url, "pay", { number: "4242 4242 4242 4241" });
  expect(wrong.status).toBe(402);
  expect(await textOf(wrong)).toContain("Your card number is incorrect.");

  const paid = await press(url, "pay", { number: "5555 5555 5555 4444", expiry: "01/40", cvc: "999" });
  expect([paid.status, paid.headers.get("location")]).toEqual([303, url]);
  expect(await textOf(await fetch(url))).toContain("Paid on ");
  const [subscription] = (
    await stripe.subscriptions.list({ customer, expand: ["data.default_payment_method"] })
  ).data;
  expect(subscription).toMatchObject({
    status: "active",
    default_payment_method: { card: { last4: "4444", exp_year: 2040 } },
  });
});

test("a payment that needs authentication is confirmed at the bank, or not", async () => {
  const { stripe } = running;
  const { customer, invoice } = await renewWith("pm_card_authenticationRequired");
  const url = invoice.hosted_invoice_url ?? "";
  expect(invoice.status).toBe("open");
  expect(await textOf(await fetch(url))).toContain("Confirm with your bank");
  const [intent] = (await stripe.paymentIntents.list({ customer })).data;
  const bank = intent?.next_action?.redirect_to_url?.url ?? "";
  expect(await textOf(await fetch(bank))).toContain("Complete authentication");

  const failed = await press(bank, "", { result: "failed" });
  expect([failed.status, failed.headers.get("location")]).toEqual([303, url]);
  expect(await textOf(await fetch(url))).toContain("We are unable to authenticate your payment method.");

  const again = await press(url, "pay", { number: "4000 0027 6000 3184" });
  expect(again.headers.get("location")).toBe(bank);
  await press(bank, "", { result: "succeeded" });
  expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ status: "paid", amount_paid: 499 });
  expect((await stripe.subscriptions.list({ customer })).data).toMatchObject([{ status: "active" }]);
  expect(await textOf(await fetch(bank))).toContain("Nothing to confirm");
  const { data } = await stripe.events.list({ limit: 100 });
  const types = data.map(({ type }) => type);
  expect(types).toEqual(
    expect.arrayContaining(["payment_intent.requires_action", "invoice.payment_action_required"]),
  );
});

test("a declined attempt is kept, and the invoice can be void", async () => {
  const { stripe } = running;
  const { customer, invoice } = await renewWith("pm_card_chargeCustomerFail");
  const declined = { number: "4000000000000341" };
  expect((await press(invoice.hosted_invoice_url ?? "", "pay", declined)).status).toBe(303);
  expect(await stripe.invoices.retrieve(invoice.id)).toMatchObject({ attempt_count: 2 });
  expect((await stripe.charges.list({ customer })).data.map(({ status }) => status)).toEqual([
    "failed",
    "failed",
    "succeeded",
  ]);
  expect(await stripe.invoices.voidInvoice(invoice.id)).toMatchObject({ status: "void" });
  expect((await stripe.paymentIntents.list({ customer })).data).toMatchObject([
    { status: "canceled" },
    { status: "succeeded" },
  ]);
  await expect(stripe.invoices.voidInvoice(invoice.id)).rejects.toMatchObject({ statusCode: 400 });
  expect(await textOf(await fetch(invoice.hosted_invoice_url ?? ""))).toContain("Void: nothing is owed");
});

test("pages that do not exist say so", async () => {
  const { origin } = running;
  for (const path of ["invoice/in_none", "invoice/in_none/pdf", "authenticate/pi_none"]) {
    const answer = await fetch(`${origin}/sandbox/stripe/${path}`);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain("There is nothing here");
  }
  expect((await press(`${origin}/sandbox/stripe/invoice/in_none`, "pdf")).status).toBe(405);
});

test("a paid checkout leaves an invoice with its payment, charge and card", async () => {
  const { stripe, origin } = running;
  const { customer, url } = await openCheckout(stripe);
  await press(url, "pay");
  const [subscription] = (
    await stripe.subscriptions.list({
      customer,
      expand: [
        "data.latest_invoice.payments.data.payment.payment_intent.latest_charge",
        "data.default_payment_method",
      ],
    })
  ).data;
  expect(subscription).toMatchObject({
    status: "active",
    default_payment_method: { card: { brand: "visa", last4: "4242" }, customer },
    latest_invoice: {
      status: "paid",
      amount_due: 4999,
      amount_paid: 4999,
      amount_remaining: 0,
      billing_reason: "subscription_create",
      customer_email: "ada@example.com",
      number: expect.stringMatching(/^[0-9A-F]{8}-0001$/),
      hosted_invoice_url: expect.stringContaining(`${origin}/sandbox/stripe/invoice/in_`),
      lines: { data: [{ amount: 4999, description: "1 × CSV + Banking (at $49.99 / year)" }] },
      payments: {
        data: [
          {
            status: "paid",
            amount_paid: 4999,
            payment: { payment_intent: { status: "succeeded", latest_charge: { paid: true, amount: 4999 } } },
          },
        ],
      },
    },
  });
  const types = (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type);
  expect(types).toEqual(
    expect.arrayContaining([
      "payment_method.attached",
      "invoice.created",
      "customer.subscription.created",
      "invoice.finalized",
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.succeeded",
      "invoice.paid",
      "invoice.payment_succeeded",
      "checkout.session.completed",
    ]),
  );
});

test("an invoice that is paid many times at once is charged once", async () => {
  const { stripe } = running;
  const { customer, invoice } = await renewWith("pm_card_chargeCustomerFail");
  expect(invoice).toMatchObject({ status: "open", amount_remaining: 499 });
  await Promise.all(Array.from({ length: 5 }, () => press(invoice.hosted_invoice_url ?? "", "pay")));
  const { data } = await stripe.charges.list({ customer });
  expect(data.map(({ paid }) => paid)).toEqual([true, false, true]);
  expect((await stripe.subscriptions.list({ customer })).data).toMatchObject([{ status: "active" }]);
});
