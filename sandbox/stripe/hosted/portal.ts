import type Stripe from "stripe";
import { z } from "zod";
import { type Html, html, redirect } from "../../web.ts";
import { type ApiCall, email, readParams, text, url } from "../api/params.ts";
import { changeCustomer, existingCustomer, lockCustomer } from "../customers.ts";
import { addObject } from "../events.ts";
import {
  addCard,
  attachCard,
  brandName,
  detachCard,
  needsAuthentication,
  rememberAuthentication,
} from "../payments/cards.ts";
import { findAll, findObject, newId, stripeObject } from "../store.ts";
import {
  AUTHENTICATION_FAILED,
  bankPage,
  cardFields,
  readAuthentication,
  readCard,
  testCards,
} from "./card-form.ts";
import { notFoundPage, orAgain, type Page, page, type Visit } from "./page.ts";

type Session = Stripe.BillingPortal.Session;

const createSchema = z.strictObject({
  customer: text,
  /** https://docs.stripe.com/customer-management/portal-deep-links */
  flow_data: z
    .strictObject({
      type: z.enum(["payment_method_update"]),
      after_completion: z
        .strictObject({ type: z.enum(["redirect"]), redirect: z.strictObject({ return_url: url }) })
        .optional(),
    })
    .optional(),
  return_url: url.optional(),
});

/** https://docs.stripe.com/api/customer_portal/sessions/create */
export async function createPortalSession({ tx, params }: ApiCall): Promise<Session> {
  const { customer, flow_data: flow, return_url = null } = readParams(createSchema, params);
  await existingCustomer(tx, customer);
  const id = newId("bps");
  const session = stripeObject<Session>({
    id,
    object: "billing_portal.session",
    created: tx.now,
    customer,
    flow: flow
      ? { type: flow.type, after_completion: flow.after_completion ?? { type: "portal_homepage" } }
      : null,
    livemode: false,
    return_url,
    url: `${tx.publicOrigin}/sandbox/stripe/portal/${id}`,
  });
  await addObject(tx, "billing_portal.session.created", session);
  return session;
}

interface Portal extends Visit {
  session: Session;
  customer: Stripe.Customer;
  /** `/sandbox/stripe/portal/bps_1` */
  base: string;
}

/** A page of the portal: 404 where its session or its customer is missing. */
function inPortal(answer: (portal: Portal) => Response | Promise<Response>) {
  return async (visit: Visit): Promise<Response> => {
    const session = await findObject(visit.tx, "billing_portal.session", visit.id);
    const customer = session && (await findObject(visit.tx, "customer", session.customer));
    if (!session || !customer || customer.deleted) return notFoundPage();
    return answer({ ...visit, session, customer, base: `/sandbox/stripe/portal/${session.id}` });
  };
}

/** With the way back: from the first page and from a flow to the seller, else to the first page. */
function portalPage({ session, base }: Portal, shown: Page, isFirst = false): Response {
  const { return_url, flow } = session;
  const back = isFirst || flow ? return_url : `${base}/home`;
  const label = isFirst || flow ? "Return to the site" : "All billing";
  return page({
    ...shown,
    content: html`${shown.content}${back && html`<p><a href="${back}">← ${label}</a></p>`}`,
    targets: [return_url, flow?.after_completion.redirect?.return_url],
  });
}

/** The redirect after an action: a flow ends as the seller configured it, everything else on the first page. */
function afterwards({ session, base }: Portal, done: keyof typeof DONE): Response {
  return redirect(session.flow?.after_completion.redirect?.return_url ?? `${base}/home?done=${done}`);
}

const DONE = {
  card: "Your card was saved. It is your default from now on.",
  default: "Your default card was changed.",
  removed: "The card was removed.",
  details: "Your billing details were saved.",
};

/** A session with a flow starts with that. */
export const showPortal = inPortal((portal) => (portal.session.flow ? cardForm(portal) : homePage(portal)));
export const showHome = inPortal(homePage);
export const showCardForm = inPortal((portal) => cardForm(portal));

async function homePage(portal: Portal): Promise<Response> {
  const { customer, form, base } = portal;
  const done = Object.entries(DONE).find(([name]) => name === form.get("done"))?.[1];
  const { line1, postal_code, city, state, country } = customer.address ?? {};
  const details = [customer.name, customer.email, line1, postal_code, city, state, country, customer.phone];
  const content = html`
    ${done && html`<p role="status">${done}</p>`}
    <p class="quiet">${customer.email ?? customer.name ?? customer.id}</p>
    <h2>Cards</h2>${await cards(portal)}
    <a class="button" href="${base}/card">Add a card</a>
    <h2>Billing details</h2>
    <p>${details.filter(Boolean).map((line) => html`<span class="row">${line}</span>`)}</p>
    <a class="button" href="${base}/details">Change billing details</a>`;
  return portalPage(portal, { title: "Your billing", content }, true);
}

async function cards({ tx, base, customer }: Portal): Promise<Html> {
  const defaultCard = customer.invoice_settings.default_payment_method;
  const all = await findAll(tx, "payment_method", { customer: customer.id });
  const items = all.map(({ id, card }) => {
    const name = `${brandName(card)} ending in ${card?.last4}`;
    const button = (action: string, label: string) => html`
      <form method="post" action="${base}/card/${id}/${action}">
        <button aria-label="${label}: ${name}">${label}</button>
      </form>`;
    return html`<li>
      <div class="line">
        <span>${name}${id === defaultCard && " (default)"}</span>
        <span class="quiet">Expires ${String(card?.exp_month).padStart(2, "0")}/${String(card?.exp_year)}</span>
      </div>
      <div class="links">
        ${id !== defaultCard && button("default", "Make default")}${button("remove", "Remove")}
      </div>
    </li>`;
  });
  return items.length > 0 ? html`<ul>${items}</ul>` : html`<p class="quiet">No card is saved.</p>`;
}

/** Saves the typed card and makes it the default; some cards are authenticated on another page first. */
export const saveCard = inPortal((portal) =>
  orAgain(
    async () => {
      const card = await addCard(portal.tx, readCard(portal.tx, portal.form));
      if (await needsAuthentication(portal.tx, card))
        return redirect(`${portal.base}/card/${card.id}/authenticate`);
      return keepCard(portal, card);
    },
    (refusal) => cardForm(portal, refusal),
  ),
);

export const showCardBank = inPortal(async (portal) => {
  const { tx, detail, base, session } = portal;
  const card = await findObject(tx, "payment_method", detail);
  if (!card || card.customer) return notFoundPage();
  return bankPage({
    action: `${base}/card/${card.id}/authenticate`,
    amount: 0,
    currency: "usd",
    what: "later payments",
    targets: [session.return_url, session.flow?.after_completion.redirect?.return_url ?? null],
  });
});

export const authenticateCard = inPortal(async (portal) => {
  const card = await findObject(portal.tx, "payment_method", portal.detail);
  if (!card || card.customer) return notFoundPage();
  if (readAuthentication(portal.form) === "failed")
    return cardForm(portal, { error: AUTHENTICATION_FAILED, status: 402 });
  await rememberAuthentication(portal.tx, card.id);
  return orAgain(
    () => keepCard(portal, card),
    (refusal) => cardForm(portal, refusal),
  );
});

async function keepCard(portal: Portal, card: Stripe.PaymentMethod): Promise<Response> {
  await attachCard(portal.tx, card, portal.customer.id);
  await makeDefault(portal, card.id);
  return afterwards(portal, "card");
}

/** Sets the customer's default. A subscription with a card of its own keeps it, as at Stripe. */
async function makeDefault({ tx, customer: { id } }: Portal, card: string): Promise<void> {
  const customer = await lockCustomer(tx, id);
  const invoice_settings = { ...customer.invoice_settings, default_payment_method: card };
  await changeCustomer(tx, customer, { invoice_settings });
}

export const setDefaultCard = inPortal(async (portal) => {
  const card = await findObject(portal.tx, "payment_method", portal.detail);
  if (card?.customer !== portal.customer.id) return notFoundPage();
  await makeDefault(portal, card.id);
  return afterwards(portal, "default");
});

export const removeCard = inPortal(async (portal) => {
  const card = await findObject(portal.tx, "payment_method", portal.detail);
  if (card?.customer !== portal.customer.id) return notFoundPage();
  await detachCard(portal.tx, card, portal.customer.id);
  return afterwards(portal, "removed");
});

function cardForm(portal: Portal, refusal: { error?: string; status?: number } = {}): Response {
  const address = `${portal.base}/card`;
  const content = html`<form method="post" action="${address}">
      ${cardFields(portal.form)}
      <button class="pay">Save card</button>
    </form>
    ${testCards(address)}`;
  return portalPage(portal, { title: "Save a card", content, ...refusal });
}

/** The editable fields of a customer, with their autocomplete values. */
const ADDRESS_FIELDS = [
  ["line1", "Address", "address-line1"],
  ["postal_code", "Postal code", "postal-code"],
  ["city", "City", "address-level2"],
  ["state", "State", "address-level1"],
  ["country", "Country, as two letters", "country"],
] as const;
const FIELDS = [
  ["name", "Name", "name"],
  ["email", "Email", "email"],
  ["phone", "Phone", "tel"],
  ...ADDRESS_FIELDS,
] as const;

export const showDetails = inPortal((portal) => {
  const { name, email, phone, address } = portal.customer;
  return detailsForm(portal, { ...address, name, email, phone });
});

export const saveDetails = inPortal(async (portal) => {
  const typed = Object.fromEntries(
    FIELDS.map(([name]) => [name, portal.form.get(name)?.trim().slice(0, 500) || null]),
  );
  if (typed.email && !email.safeParse(typed.email).success)
    return detailsForm(portal, typed, { error: `Invalid email address: ${typed.email}`, status: 400 });
  typed.country = typed.country?.toUpperCase() ?? null;
  const address = Object.fromEntries(ADDRESS_FIELDS.map(([name]) => [name, typed[name] ?? null]));
  const customer = await lockCustomer(portal.tx, portal.customer.id);
  await changeCustomer(portal.tx, customer, {
    name: typed.name ?? null,
    email: typed.email ?? null,
    phone: typed.phone ?? null,
    address: stripeObject<Stripe.Address>(address),
  });
  return afterwards(portal, "details");
});

function detailsForm(
  portal: Portal,
  values: object,
  refusal: { error?: string; status?: number } = {},
): Response {
  const given = new Map<string, unknown>(Object.entries(values));
  const inputs = FIELDS.map(
    ([name, label, autocomplete]) => html`<label>${label}
      <input name="${name}" autocomplete="${autocomplete}" value="${String(given.get(name) ?? "")}">
    </label>`,
  );
  const content = html`<form method="post" action="${portal.base}/details">
    ${inputs}
    <button class="pay">Save</button>
  </form>`;
  return portalPage(portal, { title: "Billing details", content, ...refusal });
}
