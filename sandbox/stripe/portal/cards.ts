import type Stripe from "stripe";
import { html } from "../../page/html.ts";
import { pageResponse, redirect } from "../../page/responses.ts";
import { changeCustomer, lockCustomer } from "../objects/customers.ts";
import { attachCard, detachCard } from "../payments/attachment.ts";
import {
  AUTHENTICATION_FAILED,
  authenticationPage,
  readAuthentication,
} from "../payments/authentication-page.ts";
import { needsAuthentication, rememberAuthentication } from "../payments/card-check.ts";
import { cardFields, checkTypedCard, readCardForm, testCards } from "../payments/card-form.ts";
import { addCard } from "../payments/new-payment-method.ts";
import { findObject, lockObject } from "../store.ts";
import { notFoundPage, portalDocument } from "./portal-page.ts";
import { afterwards, type Notice, orAgain, portalPage, type Visit } from "./visit.ts";

export async function showCardForm(visit: Visit): Promise<Response> {
  return cardForm(visit);
}

/** Saves what was typed and makes it the default; some cards are authenticated on another page before. */
export function saveCard(visit: Visit): Promise<Response> {
  const { tx, base, fields } = visit;
  return orAgain(
    async () => {
      const card = await addCard(tx, checkTypedCard(tx, readCardForm(fields)));
      if (await needsAuthentication(tx, card)) return redirect(`${base}/card/${card.id}/authenticate`);
      return keepCard(visit, card);
    },
    (notice, status) => cardForm(visit, notice, status),
  );
}

export async function showAuthentication(visit: Visit): Promise<Response> {
  const card = await newCard(visit);
  if (!card) return pageResponse(404, notFoundPage());
  const action = `${visit.base}/card/${card.id}/authenticate`;
  const content = authenticationPage({ action, amount: 0, currency: "usd", what: "later payments" });
  return portalPage(visit, content);
}

/** Back from the page on which the card was authenticated, or was not. */
export async function authenticateCard(visit: Visit): Promise<Response> {
  const card = await newCard(visit);
  if (!card) return pageResponse(404, notFoundPage());
  if (readAuthentication(visit.fields) === "failed") {
    return cardForm(visit, { kind: "refused", text: AUTHENTICATION_FAILED }, 402);
  }
  await rememberAuthentication(visit.tx, card.id);
  return orAgain(
    () => keepCard(visit, card),
    (notice, status) => cardForm(visit, notice, status),
  );
}

/** A card that was typed and belongs to nobody yet. */
async function newCard({ tx, id }: Visit): Promise<Stripe.PaymentMethod | null> {
  const card = await lockObject(tx, "payment_method", id);
  return card && !card.customer ? card : null;
}

async function keepCard(visit: Visit, card: Stripe.PaymentMethod): Promise<Response> {
  await attachCard(visit.tx, card, visit.customer.id);
  await makeDefault(visit, card.id);
  return afterwards(visit, "card");
}

/** The customer's default: a subscription that has one of its own keeps that, as at Stripe. */
async function makeDefault({ tx, customer }: Visit, card: string): Promise<void> {
  const locked = await lockCustomer(tx, customer.id);
  await changeCustomer(tx, locked, { invoice_settings: { default_payment_method: card } });
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
  await detachCard(visit.tx, card);
  return redirect(`${visit.base}/home?done=removed`);
}

/** The customer's own card; `null`: it does not exist for them. */
async function ownCard({ tx, id, customer }: Visit): Promise<Stripe.PaymentMethod | null> {
  const card = await findObject(tx, "payment_method", id);
  return card?.customer === customer.id ? card : null;
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
