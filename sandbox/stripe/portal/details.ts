import type Stripe from "stripe";
import { type Html, html } from "../../page/html.ts";
import { updateCustomer } from "../objects/customers.ts";
import { portalDocument } from "./portal-page.ts";
import { afterwards, type Notice, orAgain, portalPage, type Visit } from "./visit.ts";

/** What a customer may type, and what browsers fill in there. */
const FIELDS = [
  { of: "name", name: "name", label: "Name", autocomplete: "name" },
  { of: "email", name: "email", label: "Email", autocomplete: "email" },
  { of: "address", name: "line1", label: "Address", autocomplete: "address-line1" },
  { of: "address", name: "line2", label: "Address, second line", autocomplete: "address-line2" },
  { of: "address", name: "postal_code", label: "Postal code", autocomplete: "postal-code" },
  { of: "address", name: "city", label: "City", autocomplete: "address-level2" },
  { of: "address", name: "state", label: "State or region", autocomplete: "address-level1" },
  { of: "address", name: "country", label: "Country, as two letters", autocomplete: "country" },
  { of: "phone", name: "phone", label: "Phone", autocomplete: "tel" },
] as const;

const MAX_CHARACTERS = 500;

export async function showDetails(visit: Visit): Promise<Response> {
  return detailsForm(visit, (name) => currentValue(visit.customer, name));
}

export function saveDetails(visit: Visit): Promise<Response> {
  const typed = (name: string) => visit.fields.get(name)?.trim().slice(0, MAX_CHARACTERS) ?? "";
  return orAgain(
    async () => {
      const { tx, customer } = visit;
      const params = Object.fromEntries(
        FIELDS.filter(({ of }) => of !== "address").map(({ name }) => [name, typed(name)]),
      );
      const address = Object.fromEntries(
        FIELDS.filter(({ of }) => of === "address").map(({ name }) => [name, typed(name)]),
      );
      const country = address.country && { ...address, country: address.country.toUpperCase() };
      await updateCustomer({
        tx,
        id: customer.id,
        params: { ...params, address: country || address },
        publicOrigin: tx.publicOrigin,
      });
      return afterwards(visit, "details");
    },
    (notice, status) => detailsForm(visit, typed, notice, status),
  );
}

function currentValue({ name, email, phone, address }: Stripe.Customer, field: string): string {
  const values: Record<string, string | null | undefined> = { ...address, name, email, phone };
  return values[field] ?? "";
}

function detailsForm(
  visit: Visit,
  valueFor: (name: string) => string,
  notice?: Notice,
  status = 200,
): Response {
  const inputs: Html[] = FIELDS.map(
    ({ name, label, autocomplete }) => html`<label>${label}
      <input name="${name}" autocomplete="${autocomplete}" value="${valueFor(name)}">
    </label>`,
  );
  const content = html`<form method="post" action="${visit.base}/details">
    ${inputs}
    <button class="main">Save</button>
  </form>`;
  return portalPage(visit, portalDocument(visit, { title: "Billing details", notice, content }), status);
}
