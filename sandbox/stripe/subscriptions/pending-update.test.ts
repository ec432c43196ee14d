import type Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { press, startTestSandbox } from "../../testing/stripe.ts";
import { DAY } from "../clocks/clock.fixture.ts";
import { HALF, halfway, linesOf } from "./halfway.fixture.ts";

let running: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  running = await startTestSandbox();
});
afterAll(() => running.close());

const MONTHLY = "price_csv_only_monthly";
const MORE_MONTHLY = "price_csv_banking_monthly";

test("an update that needs a payment waits for it, and is made when its invoice is paid", async () => {
  const { stripe } = running;
  const { id, item, setCard, onlySubscription, newEventTypes } = await halfway(stripe, MONTHLY);
  await setCard("pm_card_chargeCustomerFail");
  await newEventTypes(/./);
  const waiting = await stripe.subscriptions.update(id, {
    items: [{ id: item, price: MORE_MONTHLY }],
    proration_behavior: "always_invoice",
    payment_behavior: "pending_if_incomplete",
  });
  expect(waiting).toMatchObject({
    status: "active",
    items: { data: [{ price: { id: MONTHLY } }] },
    pending_update: {
      expires_at: HALF + 23 * 3600,
      subscription_items: [{ id: item, price: { id: MORE_MONTHLY } }],
    },
  });
  const invoice = await stripe.invoices.retrieve(String(waiting.latest_invoice));
  await press(invoice.hosted_invoice_url ?? "", "pay");
  expect(await onlySubscription()).toMatchObject({
    status: "active",
    pending_update: null,
    items: { data: [{ price: { id: MORE_MONTHLY } }] },
  });
  expect(await newEventTypes(/^customer.subscription/)).toEqual([
    "customer.subscription.updated",
    "customer.subscription.updated",
    "customer.subscription.pending_update_applied",
    // The page's card is the subscription's from then on.
    "customer.subscription.updated",
  ]);
});

test.each(["expires", "is voided", "is asked for again"])(
  "a pending update %s: nothing has changed",
  async (how) => {
    const { stripe } = running;
    const { id, item, setCard, onlySubscription, advance, invoices } = await halfway(stripe, MONTHLY);
    await setCard("pm_card_authenticationRequired");
    const upgrade: Stripe.SubscriptionUpdateParams = {
      items: [{ id: item, price: MORE_MONTHLY }],
      proration_behavior: "always_invoice",
      payment_behavior: "pending_if_incomplete",
    } as const;
    const { latest_invoice } = await stripe.subscriptions.update(id, upgrade);
    if (how === "expires") await advance(HALF + DAY);
    if (how === "is voided") await stripe.invoices.voidInvoice(String(latest_invoice));
    if (how === "is asked for again") {
      await setCard("pm_card_visa");
      await stripe.subscriptions.update(id, upgrade);
      expect(await onlySubscription()).toMatchObject({ items: { data: [{ price: { id: MORE_MONTHLY } }] } });
      expect((await invoices()).map(({ status, total }) => [status, total])).toEqual([
        ["paid", 100],
        ["void", 100],
        ["paid", 299],
      ]);
      return;
    }
    expect(await onlySubscription()).toMatchObject({
      status: "active",
      pending_update: null,
      items: { data: [{ price: { id: MONTHLY } }] },
    });
    expect((await invoices())[0]).toMatchObject({ status: "void" });
    const preview = await stripe.invoices.createPreview({ subscription: id });
    expect(linesOf(preview)).toEqual([[299, "1 × CSV Only (at $2.99 / month)"]]);
  },
);
