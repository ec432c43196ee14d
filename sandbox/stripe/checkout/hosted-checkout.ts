import type pg from "pg";
import type Stripe from "stripe";
import type { Html } from "../../page/html.ts";
import { pageResponse } from "../../page/response.ts";
import { findObject } from "../store.ts";
import { inTransaction, type Transaction } from "../transaction.ts";
import { expiredPage, notFoundPage, offerPage, paidPage } from "./checkout-page.ts";
import { expireOverdueSessions } from "./expiry.ts";
import { orderOf, productOf } from "./order.ts";
import { payCheckoutSession } from "./payment.ts";

/** Stands in for checkout.stripe.com: `path` is the session's id, and for a POST also what the buyer chose. */
export async function handleHostedCheckout(request: Request, path: string, pool: pg.Pool): Promise<Response> {
  const [id = "", choice, ...more] = path.split("/");
  const answer = choice === undefined ? showPage : choices.get(choice);
  if (!answer || more.length > 0) return page(404, notFoundPage());
  const method = choice === undefined ? "GET" : "POST";
  if (request.method !== method) return new Response(null, { status: 405, headers: { allow: method } });
  return inTransaction(pool, null, async (tx) => {
    await expireOverdueSessions(tx);
    const session = await findObject(tx, "checkout.session", id);
    return session ? answer(tx, session) : page(404, notFoundPage());
  });
}

type Choice = (tx: Transaction, session: Stripe.Checkout.Session) => Promise<Response>;

const choices = new Map<string, Choice>([
  ["pay", pay],
  ["cancel", cancel],
  ["decline", decline],
]);

async function showPage(tx: Transaction, session: Stripe.Checkout.Session): Promise<Response> {
  return sessionPage(tx, session, false);
}

/** A second press of the button leads on like the first: the session is paid either way. */
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
  const leadsTo = [successUrl(session), session.cancel_url];
  return page(declined ? 402 : 200, offerPage({ session, order, product, declined }), leadsTo);
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

/** Chromium holds form-action against the redirect after a POST too, so it names where the redirect leads. */
function page(status: number, document: Html, leadsTo: (string | null)[] = []): Response {
  const formTargets = ["'self'", ...leadsTo.flatMap((url) => (url ? [new URL(url).origin] : []))];
  return pageResponse(status, document, [...new Set(formTargets)]);
}
