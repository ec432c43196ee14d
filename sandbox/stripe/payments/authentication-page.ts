import { sandboxDocument } from "../../page/document.ts";
import { type Html, html } from "../../page/html.ts";
import { formatAmount } from "../format.ts";
import { FORM_STYLE } from "./card-form.ts";

interface Authentication {
  /** Where its buttons post to: `result` is `succeeded` or `failed`. */
  action: string;
  /** In minor units; 0 when the card is only saved. */
  amount: number;
  currency: string;
  what: string;
}

/** The bank's page, where a cardholder confirms that it is them who pays (3D Secure). */
export function authenticationPage({ action, amount, currency, what }: Authentication): Html {
  return sandboxDocument({
    title: "Confirm with your bank · Payment sandbox",
    notice: "This stands in for the page of the bank.",
    style: FORM_STYLE,
    content: html`
      <h1>Confirm with your bank</h1>
      <p>${
        amount > 0
          ? html`Your bank asks whether it is you who pays <strong>${formatAmount(amount, currency)}</strong> for ${what}.`
          : html`Your bank asks whether it is you who saves this card for ${what}.`
      }</p>
      <form method="post" action="${action}">
        <button class="pay" name="result" value="succeeded">Complete authentication</button>
      </form>
      <form method="post" action="${action}">
        <button name="result" value="failed">Fail authentication</button>
      </form>`,
  });
}

/** After the bank's page, where there is nowhere to go back to. */
export function donePage(): Html {
  return sandboxDocument({
    title: "Nothing to confirm · Payment sandbox",
    notice: "This stands in for the page of the bank.",
    style: FORM_STYLE,
    content: html`<h1>Nothing to confirm</h1>
      <p>You can close this page, and go back to where you came from.</p>`,
  });
}

/** Which of the two buttons was pressed. */
export function readAuthentication(form: URLSearchParams): "succeeded" | "failed" {
  return form.get("result") === "succeeded" ? "succeeded" : "failed";
}

/** What the page says after the second one. */
export const AUTHENTICATION_FAILED =
  "We are unable to authenticate your payment method. Please choose a different payment method and try again.";
