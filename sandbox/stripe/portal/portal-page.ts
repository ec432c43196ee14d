import type Stripe from "stripe";
import { sandboxDocument } from "../../page/document.ts";
import { type Html, html } from "../../page/html.ts";
import { FORM_STYLE } from "../payments/card-form.ts";
import type { Notice, Visit } from "./visit.ts";

interface PortalPage {
  title: string;
  /** What was done, or why not. */
  notice?: Notice | undefined;
  content: Html;
}

/** A page of the portal, with its way back: from the first page and from a flow to the seller, else to the first page. */
export function portalDocument(visit: Visit, { title, notice, content }: PortalPage, isFirst = false): Html {
  return document(
    title,
    html`
      ${wayBack(visit, isFirst)}
      ${
        notice &&
        (notice.kind === "refused"
          ? html`<p class="notice refused" role="alert">${notice.text}</p>`
          : html`<p class="notice" role="status">${notice.text}</p>`)
      }
      <h1>${title}</h1>
      ${content}`,
  );
}

function wayBack({ session, base }: Visit, isFirst: boolean): Html | null {
  if (!isFirst && !session.flow) return html`<p><a href="${base}/home">← All billing</a></p>`;
  return session.return_url ? html`<p><a href="${session.return_url}">← Return to the site</a></p>` : null;
}

export function expiredPage(returnUrl: string | null): Html {
  return document(
    "This session has expired",
    html`<h1>This session has expired</h1>
      <p>A link to this page works for five minutes, and then for an hour after each visit. Nothing was changed.</p>
      <a class="button" href="${returnUrl ?? "/"}">Go back and open it again</a>`,
  );
}

export function notFoundPage(): Html {
  return document(
    "Page not found",
    html`<h1>This page does not exist</h1>
      <p>The link may be incomplete, or this is not offered here. Go back to the site and open your billing again.</p>
      <a class="button" href="/">Go to the home page</a>`,
  );
}

/** `Visa ending in 4242` */
export function cardName(card: Stripe.PaymentMethod["card"]): string {
  const brand = BRANDS.get(card?.brand ?? "") ?? card?.brand ?? "Card";
  return `${brand} ending in ${card?.last4 ?? "????"}`;
}

const BRANDS = new Map([
  ["visa", "Visa"],
  ["mastercard", "Mastercard"],
  ["amex", "American Express"],
  ["discover", "Discover"],
  ["diners", "Diners Club"],
  ["jcb", "JCB"],
  ["unionpay", "UnionPay"],
]);

function document(title: string, content: Html): Html {
  return sandboxDocument({
    title: `${title} · Billing sandbox`,
    notice: "No money moves here. Use a test card.",
    style: html`${FORM_STYLE}${STYLE}`,
    content,
  });
}

const STYLE = html`
a { color: inherit; text-underline-offset: 0.2em; }
main > p > a:first-child:last-child { display: inline-flex; align-items: center; min-height: 44px; }
h2 { margin: 0 0 0.25rem; font-size: 1.125rem; }
section { margin: 2rem 0 0; padding: 1.25rem 0 0; border-top: 1px solid var(--rule); }
ul { margin: 0.5rem 0 1rem; padding: 0; list-style: none; }
li { padding: 0.5rem 0; overflow-wrap: anywhere; }
li + li { border-top: 1px dotted var(--rule); }
.line { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1rem; }
.line > :last-child { font-variant-numeric: tabular-nums; }
.row { display: block; overflow-wrap: anywhere; }
h1 + form { margin-top: 1.25rem; }
.links { display: flex; flex-wrap: wrap; gap: 0 1.25rem; }
.links a, .links button { display: inline-flex; align-items: center; min-height: 44px; }
.links button { width: auto; padding: 0; border: 0; text-decoration: underline; text-underline-offset: 0.2em; }
.links form { margin: 0; }
input[type=radio] { width: 1.25rem; height: 1.25rem; min-height: 0; flex: none; margin: 0 0.75rem 0 0; padding: 0; accent-color: var(--green); }
.choice { display: flex; align-items: center; min-height: 44px; margin: 0; padding: 0.5rem 0; font-size: 1.0625rem; }
.choice + .choice { border-top: 1px dotted var(--rule); }
.main { margin-top: 0.5rem; min-height: 52px; border-color: var(--green); background: var(--green); color: var(--on-green); font-weight: 650; }
.tag { margin-left: 0.4em; padding: 0.1em 0.45em; border: 1px solid var(--rule); border-radius: 4px; font-size: 0.875rem; }
.notice { border-color: var(--green); color: inherit; }
.refused { border-color: var(--coral); color: var(--coral); }
dl { margin: 1.5rem 0; }
dl div { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; padding: 0.35rem 0; }
dl div + div { border-top: 1px dotted var(--rule); }
dd { flex: none; text-align: right; white-space: nowrap; overflow-wrap: normal; font-variant-numeric: tabular-nums; }
`;
