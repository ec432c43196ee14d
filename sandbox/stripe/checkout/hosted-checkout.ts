import type Stripe from "stripe";
import type { Html } from "../../page/html.ts";
import { pageResponse, redirect } from "../../page/responses.ts";
import { readHostedForm } from "../../request-body.ts";
import { enterTimeOf } from "../clocks/clock-time.ts";
import { authenticationPage } from "../payments/authentication-page.ts";
import { readCardForm } from "../payments/card-form.ts";
import { findObject, lockObject } from "../store.ts";
import { inTransaction, type Site, type Transaction } from "../transaction.ts";
import { type Entered, expiredPage, notFoundPage, paidPage, paymentPage } from "./checkout-page.ts";
import { expireOverdueSessions } from "./expiry.ts";
import { orderOf, productOf } from "./order.ts";
import { payAuthenticated, paySession } from "./pay.ts";

/** What a browser asks of the page of one session. */
export interface Visit {
  tx: Transaction;
  session: Stripe.Checkout.Session;
  form: URLSearchParams;
  /** What follows the button in the path: the card that is being authenticated. */
  detail: string;
}

/** Stands in for checkout.stripe.com: `path` is the session's id, and for a POST also the button that was pressed. */
export async function handleHostedCheckout(request: Request, path: string, site: Site): Promise<Response> {
  const [id = "", button = "", detail = "", ...more] = path.split("/");
  const actions = ACTIONS.get(button);
  if (!actions || more.length > 0) return page(404, notFoundPage());
  const action = actions[request.method as "GET" | "POST"];
  if (!action)
    return new Response(null, { status: 405, headers: { allow: Object.keys(actions).join(", ") } });
  const form = await readHostedForm(request);
  if (!form) return new Response("Too much was sent.\n", { status: 413 });
  return inTransaction(site, null, async (tx) => {
    await enterTimeOf(tx, [id], { lock: request.method === "POST" });
    await expireOverdueSessions(tx);
    const find = request.method === "POST" ? lockObject : findObject;
    const session = await find(tx, "checkout.session", id);
    if (!session) return page(404, notFoundPage());
    if (session.status !== "open" && button !== "cancel") return closed(session, request.method);
    return action({ tx, session, form, detail });
  });
}

type Action = (visit: Visit) => Promise<Response>;

const ACTIONS = new Map<string, { GET?: Action; POST?: Action }>([
  ["", { GET: (visit) => showPage(visit, {}) }],
  ["pay", { POST: pay }],
  ["authenticate", { GET: showAuthentication, POST: authenticate }],
  ["cancel", { POST: cancel }],
]);

/** Pressing the button twice has the same result: the session is paid either way. */
async function pay(visit: Visit): Promise<Response> {
  return afterPayment(visit, await paySession(visit));
}

async function authenticate(visit: Visit): Promise<Response> {
  return afterPayment(visit, await payAuthenticated(visit));
}

async function afterPayment(visit: Visit, result: Awaited<ReturnType<typeof paySession>>): Promise<Response> {
  if ("session" in result) return redirect(successUrl(result.session));
  if ("authenticate" in result) {
    return redirect(`${visit.session.url}/authenticate/${result.authenticate}`);
  }
  return showPage(visit, { error: result.error }, 402);
}

async function showAuthentication({ tx, session, detail }: Visit): Promise<Response> {
  const { product } = await shown(tx, session);
  const action = `/sandbox/stripe/checkout/${session.id}/authenticate/${encodeURIComponent(detail)}`;
  const { amount_total, currency } = session;
  const content = authenticationPage({
    action,
    amount: amount_total ?? 0,
    currency: currency ?? "usd",
    what: product.name,
  });
  return page(200, content, [successUrl(session)]);
}

/** Stripe leaves the session open: the buyer may come back to it. */
async function cancel(visit: Visit): Promise<Response> {
  const { session } = visit;
  if (session.cancel_url) return redirect(session.cancel_url);
  return session.status === "open" ? showPage(visit, {}) : closed(session, "GET");
}

async function showPage(
  { tx, session, form }: Visit,
  state: Partial<Entered>,
  status = 200,
): Promise<Response> {
  const { order, product } = await shown(tx, session);
  const entered = {
    card: readCardForm(form),
    name: form.get("name") ?? session.customer_details?.name ?? "",
  };
  const content = paymentPage({
    session,
    order,
    product,
    entered: { ...entered, ...state },
  });
  return page(status, content, [successUrl(session), session.cancel_url]);
}

async function shown(tx: Transaction, session: Stripe.Checkout.Session) {
  const order = await orderOf(tx, session);
  return { order, product: await productOf(tx, order.price) };
}

function closed(session: Stripe.Checkout.Session, method: string): Response {
  if (session.status === "expired") return page(410, expiredPage(session.cancel_url));
  return method === "POST" ? redirect(successUrl(session)) : page(200, paidPage(successUrl(session)));
}

/** https://docs.stripe.com/payments/checkout/custom-success-page */
function successUrl(session: Stripe.Checkout.Session): string {
  return (session.success_url ?? "").replaceAll("{CHECKOUT_SESSION_ID}", session.id);
}

/** Chromium applies form-action to the redirect after a POST too, so it has to name where that leads. */
function page(status: number, document: Html, targets: (string | null)[] = []): Response {
  const formTargets = ["'self'", ...targets.flatMap((url) => (url ? [new URL(url).origin] : []))];
  return pageResponse(status, document, [...new Set(formTargets)]);
}
