import type Stripe from "stripe";
import type { Html } from "../../page/html.ts";
import { pageResponse } from "../../page/responses.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { collectInvoice, draftInvoice } from "../invoices/bill.ts";
import { periodLine } from "../invoices/lines.ts";
import { recordEvent } from "../objects/events.ts";
import { attachCard } from "../payments/attachment.ts";
import { addCard } from "../payments/new-payment-method.ts";
import { TEST_CARDS } from "../payments/test-cards.ts";
import { findObject, insertObject, lockOr404, newId, replaceObject } from "../store.ts";
import { newSubscription } from "../subscriptions/new-subscription.ts";
import { inTransaction, type Site, type Transaction } from "../transaction.ts";
import { expiredPage, notFoundPage, paidPage, paymentPage } from "./checkout-page.ts";
import { expireOverdueSessions } from "./expiry.ts";
import { orderOf, productOf } from "./order.ts";

/** Stands in for checkout.stripe.com: `path` is the session's id, and for a POST also the button that was pressed. */
export async function handleHostedCheckout(request: Request, path: string, site: Site): Promise<Response> {
  const [id = "", button, ...more] = path.split("/");
  const answer = button === undefined ? showPage : BUTTONS.get(button);
  if (!answer || more.length > 0) return page(404, notFoundPage());
  const method = button === undefined ? "GET" : "POST";
  if (request.method !== method) return new Response(null, { status: 405, headers: { allow: method } });
  return inTransaction(site, null, async (tx) => {
    await enterTimeOf(tx, [id], { lock: method === "POST" });
    await expireOverdueSessions(tx);
    const session = await findObject(tx, "checkout.session", id);
    return session ? answer(tx, session) : page(404, notFoundPage());
  });
}

type Answer = (tx: Transaction, session: Stripe.Checkout.Session) => Promise<Response>;

const BUTTONS = new Map<string, Answer>([
  ["pay", pay],
  ["cancel", cancel],
  ["decline", decline],
]);

async function showPage(tx: Transaction, session: Stripe.Checkout.Session): Promise<Response> {
  return sessionPage(tx, session, false);
}

/** Pressing the button twice has the same result: the session is paid either way. */
async function pay(tx: Transaction, session: Stripe.Checkout.Session): Promise<Response> {
  const paid = await payCheckoutSession(tx, session.id);
  const current = paid ?? (await findObject(tx, "checkout.session", session.id)) ?? session;
  return current.status === "complete" ? redirect(successUrl(current)) : sessionPage(tx, current, false);
}

/** Stripe leaves the session open: the buyer may come back to it. */
async function cancel(tx: Transaction, session: Stripe.Checkout.Session): Promise<Response> {
  return session.cancel_url ? redirect(session.cancel_url) : sessionPage(tx, session, false);
}

async function decline(tx: Transaction, session: Stripe.Checkout.Session): Promise<Response> {
  return sessionPage(tx, session, true);
}

async function sessionPage(
  tx: Transaction,
  session: Stripe.Checkout.Session,
  declined: boolean,
): Promise<Response> {
  if (session.status === "complete") return page(200, paidPage(successUrl(session)));
  if (session.status === "expired") return page(410, expiredPage(session.cancel_url));
  const order = await orderOf(tx, session);
  const product = await productOf(tx, order.price);
  const targets = [successUrl(session), session.cancel_url];
  return page(declined ? 402 : 200, paymentPage({ session, order, product, declined }), targets);
}

/** https://docs.stripe.com/payments/checkout/custom-success-page */
function successUrl(session: Stripe.Checkout.Session): string {
  return (session.success_url ?? "").replaceAll("{CHECKOUT_SESSION_ID}", session.id);
}

function redirect(url: string): Response {
  return new Response(null, {
    status: 303,
    headers: { location: new URL(url).href, "cache-control": "no-store" },
  });
}

/** Chromium applies form-action to the redirect after a POST too, so it has to name where that leads. */
function page(status: number, document: Html, targets: (string | null)[] = []): Response {
  const formTargets = ["'self'", ...targets.flatMap((url) => (url ? [new URL(url).origin] : []))];
  return pageResponse(status, document, [...new Set(formTargets)]);
}

/**
 * Pays an open session and starts its subscription. Of two payments at once only one finds the session open. Overdue
 * sessions must have been expired before.
 *
 * @returns undefined when the session is not open
 */
async function payCheckoutSession(tx: Transaction, id: string): Promise<Stripe.Checkout.Session | undefined> {
  const open = await lockOr404(tx, "checkout.session", id);
  if (open.status !== "open") return undefined;
  const started = await startSubscription(tx, open);
  const session: Stripe.Checkout.Session = {
    ...open,
    status: "complete",
    payment_status: "paid",
    url: null,
    ...started,
  };
  await replaceObject(tx, session);
  await recordEvent(tx, { type: "checkout.session.completed", data: { object: session } });
  return session;
}

async function startSubscription(tx: Transaction, session: Stripe.Checkout.Session) {
  const customer = String(session.customer);
  const { price, quantity, subscription_metadata } = await orderOf(tx, session);
  if (!price.recurring)
    throw new Error(`Checkout session ${session.id} sells ${price.id}, which does not recur`);
  const [card] = TEST_CARDS;
  if (!card) throw new Error("There are no test cards");
  const paymentMethod = await attachCard(
    tx,
    await addCard(tx, { card, exp_month: 12, exp_year: 2034 }),
    customer,
  );
  const started = {
    ...(await newSubscription(tx, {
      id: newId("sub"),
      customer,
      price,
      recurring: price.recurring,
      quantity,
      metadata: subscription_metadata,
      invoice: "",
    })),
    default_payment_method: paymentMethod.id,
  };
  const invoice = await draftInvoice(tx, {
    customer,
    subscription: started,
    billing_reason: "subscription_create",
    lines: await Promise.all(started.items.data.map((item) => periodLine(tx, item))),
  });
  const subscription: Stripe.Subscription = { ...started, latest_invoice: invoice.id };
  await insertObject(tx, subscription);
  await recordEvent(tx, { type: "customer.subscription.created", data: { object: subscription } });
  await collectInvoice(tx, invoice.id, { offSession: false });
  return { subscription: subscription.id, invoice: invoice.id };
}
