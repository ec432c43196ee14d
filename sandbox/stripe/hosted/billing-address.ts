import type Stripe from "stripe";
import { type Html, html } from "../../web.ts";
import { cardError } from "../api/errors.ts";
import { amountsOf } from "../checkout/sessions.ts";
import { addressParam, changeCustomer, lockCustomer } from "../customers.ts";
import { replaceObject } from "../store.ts";
import { isTaxable } from "../tax.ts";
import type { Visit } from "./page.ts";

type Session = Stripe.Checkout.Session;

/** Whether the page asks for an address, which it saves as the customer's: `customer_update[address]` is `auto` then. */
export function collectsAddress({ automatic_tax, billing_address_collection }: Session): boolean {
  return Boolean(automatic_tax?.enabled) && billing_address_collection === "required";
}

const ADDRESS_FIELDS = [
  ["country", "Country, as two letters"],
  ["state", "State"],
  ["postal_code", "Postal code"],
] as const;

/**
 * Saves the typed address, by which the tax is known. @returns the session, with what it costs there
 * @throws Stripe's 400 for an address that is not enough
 */
export async function saveAddress({ tx, form }: Visit, session: Session): Promise<Session> {
  if (!collectsAddress(session)) return session;
  const customer = await lockCustomer(tx, String(session.customer));
  const typed = ADDRESS_FIELDS.map(
    ([name]) => [name, form.get(name)?.trim().slice(0, 100).toUpperCase() || undefined] as const,
  );
  // A form without these fields keeps the customer's address.
  const address = form.has("country") ? addressParam.parse(Object.fromEntries(typed)) : customer.address;
  if (!isTaxable(address)) throw cardError("Enter your country, and your postal code.", "incorrect_address");
  if (form.has("country")) await changeCustomer(tx, customer, { address });
  const priced = { ...session, ...amountsOf(session.amount_subtotal ?? 0, true, address) };
  await replaceObject(tx, priced);
  return priced;
}

/** The buyer agreed to another amount: the page was shown before their address was known. */
export function wasShownOtherAmount({ form }: Visit, { amount_total }: Session): boolean {
  const shown = form.get("shown");
  return shown !== null && Number(shown) !== amount_total;
}

/** @param shown the amount of the button above */
export function addressFields(
  form: URLSearchParams,
  address: Stripe.Address | null | undefined,
  shown: number,
): Html {
  return html`
    <fieldset>
      <legend>Billing address</legend>
      ${ADDRESS_FIELDS.map(
        ([name, label]) => html`<label>${label}
          <input name="${name}" value="${form.get(name) ?? address?.[name]}" autocomplete="off" maxlength="100">
        </label>`,
      )}
      <p class="quiet">Tax is known once you press the button; nothing is paid before you have seen it.</p>
      <input type="hidden" name="shown" value="${String(shown)}">
    </fieldset>`;
}
