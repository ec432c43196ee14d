import type Stripe from "stripe";
import { z } from "zod";
import { type Html, html, redirect } from "../../web.ts";
import { type ApiCall, readParams, text, url } from "../api/params.ts";
import { addressParam, changeCustomer, existingCustomer, lockCustomer } from "../customers.ts";
import { addObject } from "../events.ts";
import { addCard, attachCard } from "../payments/cards.ts";
import { findObject, newId, stripeObject } from "../store.ts";
import { cardFields, readCard, testCards } from "./card-form.ts";
import { notFoundPage, orAgain, page, type Refusal, type Visit } from "./page.ts";

type Session = Stripe.BillingPortal.Session;

const createSchema = z.strictObject({
  customer: text,
  /** https://docs.stripe.com/customer-management/portal-deep-links */
  flow_data: z
    .strictObject({
      type: z.enum(["payment_method_update"]),
      after_completion: z.strictObject({
        type: z.enum(["redirect"]),
        redirect: z.strictObject({ return_url: url }),
      }),
    })
    .optional(),
  return_url: url,
});

/** https://docs.stripe.com/api/customer_portal/sessions/create */
export async function createPortalSession({ tx, params }: ApiCall): Promise<Session> {
  const { customer, flow_data: flow = null, return_url } = readParams(createSchema, params);
  await existingCustomer(tx, customer);
  const id = newId("bps");
  const session = stripeObject<Session>({
    id,
    object: "billing_portal.session",
    created: tx.now,
    customer,
    flow,
    return_url,
    url: `${tx.publicOrigin}/sandbox/stripe/portal/${id}`,
  });
  await addObject(tx, "billing_portal.session.created", session);
  return session;
}

interface Portal extends Visit {
  session: Session;
  customer: Stripe.Customer;
  base: string;
  /** Where the seller wants the customer afterwards. */
  after: string;
}

/** A page of the portal: 404 where its session or its customer is missing. */
function inPortal(answer: (portal: Portal) => Response | Promise<Response>) {
  return async (visit: Visit): Promise<Response> => {
    const session = await findObject(visit.tx, "billing_portal.session", visit.id);
    const customer = session && (await findObject(visit.tx, "customer", session.customer));
    if (!session || !customer || customer.deleted) return notFoundPage();
    const after = session.flow?.after_completion.redirect?.return_url ?? session.return_url ?? "";
    return answer({ ...visit, session, customer, base: `/sandbox/stripe/portal/${session.id}`, after });
  };
}

function formPage(portal: Portal, title: string, content: Html, refusal: Refusal = {}): Response {
  const back = html`<p><a href="${portal.session.return_url}">← Return to the site</a></p>`;
  const targets = [portal.session.return_url, portal.after];
  return page({ title, content: html`${content}${back}`, ...refusal, targets });
}

/** A session with a flow is for the card, any other for the billing details. */
export const showPortal = inPortal((portal) =>
  portal.session.flow ? cardForm(portal) : detailsForm(portal),
);
export const showCardForm = inPortal((portal) => cardForm(portal));

function cardForm(portal: Portal, refusal?: Refusal): Response {
  const address = `${portal.base}/card`;
  const content = html`<form method="post" action="${address}">
      ${cardFields(portal.form)}
      <button class="pay">Save card</button>
    </form>
    ${testCards(address)}`;
  return formPage(portal, "Save a card", content, refusal);
}

/** Saves the typed card as the customer's default. A subscription with a card of its own keeps it, as at Stripe. */
export const saveCard = inPortal((portal) =>
  orAgain(
    async () => {
      const { tx, form, customer, after } = portal;
      const card = await attachCard(tx, await addCard(tx, readCard(tx, form)), customer.id);
      const before = await lockCustomer(tx, customer.id);
      const invoice_settings = { ...before.invoice_settings, default_payment_method: card.id };
      await changeCustomer(tx, before, { invoice_settings });
      return redirect(after);
    },
    (refusal) => cardForm(portal, refusal),
  ),
);

const FIELDS = [
  ["name", "Name", "name"],
  ["line1", "Address", "address-line1"],
  ["postal_code", "Postal code", "postal-code"],
  ["city", "City", "address-level2"],
  ["state", "State", "address-level1"],
  ["country", "Country, as two letters", "country"],
] as const;

function detailsForm(portal: Portal): Response {
  const { name, address } = portal.customer;
  const values = new Map<string, unknown>(Object.entries({ ...address, name }));
  const content = html`<form method="post" action="${portal.base}/details">
    ${FIELDS.map(
      ([field, label, autocomplete]) => html`<label>${label}
      <input name="${field}" autocomplete="${autocomplete}" value="${String(values.get(field) ?? "")}">
    </label>`,
    )}
    <button class="pay">Save</button>
  </form>`;
  return formPage(portal, "Billing details", content);
}

export const saveDetails = inPortal(async ({ tx, customer: { id }, form, after }) => {
  const typed = FIELDS.map(([name]) => [name, form.get(name)?.trim().slice(0, 500) || undefined] as const);
  const { name = null, country, ...rest } = Object.fromEntries(typed);
  const address = addressParam.parse({ ...rest, country: country?.toUpperCase() });
  await changeCustomer(tx, await lockCustomer(tx, id), { name, address });
  return redirect(after);
});
