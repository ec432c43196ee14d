import type Stripe from "stripe";
import { html } from "../../page/html.ts";
import { pageResponse } from "../../page/responses.ts";
import { callEndpoint } from "../api/call-endpoint.ts";
import { cardFields, checkTypedCard, readCardForm, testCards } from "../payments/card-form.ts";
import { findObject } from "../store.ts";
import { notFoundPage, portalDocument } from "./portal-page.ts";
import { afterwards, type Notice, orAgain, ownCard, portalPage, redirect, type Visit } from "./visit.ts";

export async function showCardForm(visit: Visit): Promise<Response> {
  return cardForm(visit);
}

/** Saves what was typed and makes it the default; some cards are authenticated on another page before. */
export function saveCard(visit: Visit): Promise<Response> {
  const { tx, base, customer, fields } = visit;
  return orAgain(
    async () => {
      const typed = readCardForm(fields);
      const { exp_month, exp_year } = checkTypedCard(tx, typed);
      const { id } = await callEndpoint<Stripe.PaymentMethod>(tx, "POST", "/v1/payment_methods", {
        type: "card",
        card: {
          number: typed.number,
          exp_month: String(exp_month),
          exp_year: String(exp_year),
          cvc: typed.cvc,
        },
      });
      const intent = await callEndpoint<Stripe.SetupIntent>(tx, "POST", "/v1/setup_intents", {
        customer: customer.id,
        payment_method: id,
        confirm: "true",
        usage: "off_session",
        return_url: `${tx.publicOrigin}${base}/card/authenticated`,
      });
      const authentication = intent.next_action?.redirect_to_url?.url;
      if (authentication) return redirect(authentication);
      return finish(visit, id);
    },
    (notice, status) => cardForm(visit, notice, status),
  );
}

/** Back from the page on which the card was authenticated, or was not. */
export async function confirmCard(visit: Visit): Promise<Response> {
  const intent = await findObject(visit.tx, "setup_intent", visit.fields.get("setup_intent") ?? "");
  if (!intent || intent.customer !== visit.customer.id) return pageResponse(404, notFoundPage());
  if (intent.status === "succeeded") return finish(visit, String(intent.payment_method));
  const text =
    intent.last_setup_error?.message ?? "Your card was not confirmed. Try again, or use another one.";
  return cardForm(visit, { kind: "refused", text }, 402);
}

async function finish(visit: Visit, card: string): Promise<Response> {
  await makeDefault(visit, card);
  return afterwards(visit, "card");
}

/** The customer's default: a subscription that has one of its own keeps that, as at Stripe. */
function makeDefault({ tx, customer }: Visit, card: string): Promise<object> {
  const invoice_settings = { default_payment_method: card };
  return callEndpoint(tx, "POST", `/v1/customers/${customer.id}`, { invoice_settings });
}

export async function setDefaultCard(visit: Visit): Promise<Response> {
  const card = await ownCard(visit);
  if (!card) return pageResponse(404, notFoundPage());
  await makeDefault(visit, card.id);
  return redirect(`${visit.base}/home?done=default`);
}

export async function removeCard(visit: Visit): Promise<Response> {
  const card = await ownCard(visit);
  if (!card) return pageResponse(404, notFoundPage());
  await callEndpoint(visit.tx, "POST", `/v1/payment_methods/${card.id}/detach`);
  return redirect(`${visit.base}/home?done=removed`);
}

function cardForm(visit: Visit, notice?: Notice, status = 200): Response {
  const { base, fields } = visit;
  const typed = readCardForm(fields);
  const content = html`<form method="post" action="${base}/card">
      ${cardFields(notice ? { ...typed, cvc: "" } : typed)}
      <button class="main">Save card</button>
    </form>
    ${testCards(`${base}/card`)}`;
  return portalPage(visit, portalDocument(visit, { title: "Save a card", notice, content }), status);
}
