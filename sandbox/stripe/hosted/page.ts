import { type Html, html, pageResponse, sandboxDocument } from "../../web.ts";
import { StripeApiError } from "../api/errors.ts";
import type { Transaction } from "../transaction.ts";

export interface Visit {
  tx: Transaction;
  id: string;
  /** The submitted form, or the query of a page. */
  form: URLSearchParams;
}

/** A page; its title is also its heading's. */
interface Page {
  title: string;
  content: Html;
  status?: number;
  error?: string | null | undefined;
  /**
   * Where its forms may lead besides itself. Chromium applies form-action to the redirect after a POST too, so it has to name
   * where that leads.
   */
  targets?: (string | null | undefined)[];
}

export function page({ title, content, status = 200, error, targets = [] }: Page): Response {
  const origins = targets.flatMap((url) => (url ? [new URL(url).origin] : []));
  const document = sandboxDocument({
    title: `${title} · Payment sandbox`,
    notice: "No money moves here, and only test cards are taken.",
    style: STYLE,
    content: html`${error && html`<p class="notice" role="alert">${error}</p>`}
      <h1>${title}</h1>
      ${content}`,
  });
  return pageResponse(status, document, [...new Set(["'self'", ...origins])]);
}

export function notFoundPage(): Response {
  return page({
    title: "There is nothing here",
    status: 404,
    content: html`<p>The link may be incomplete.</p><a class="button" href="/">Go to the home page</a>`,
  });
}

/** Stripe's answer to input that it refuses. */
export interface Refusal {
  error?: string;
  status?: number;
}

/** Runs `work`. When it is refused, shows the form again with Stripe's message. */
export async function orAgain(
  work: () => Promise<Response>,
  again: (refusal: Refusal) => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StripeApiError)) throw error;
    return again({ error: error.message, status: error.status });
  }
}

const STYLE = html`
a { color: inherit; text-underline-offset: 0.2em; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.125rem; }
small { font-size: 0.875rem; }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; font-weight: 650; margin-bottom: 0.35rem; }
label { display: block; margin: 0 0 0.75rem; font-size: 0.9375rem; }
input {
  display: block; width: 100%; min-height: 44px; margin-top: 0.25rem; padding: 0.5rem 0.7rem;
  border: 1px solid var(--rule); border-radius: 4px; background: var(--paper); color: var(--ink); font: inherit;
  font-variant-numeric: tabular-nums;
}
.pair { display: flex; flex-wrap: wrap; gap: 0 1rem; }
.pair label { flex: 1 1 8rem; }
details { margin: 1.5rem 0 0; }
summary { min-height: 44px; padding: 0.55rem 0; cursor: pointer; }
ul { margin: 0.5rem 0 1rem; padding: 0; list-style: none; }
li { padding: 0.5rem 0; overflow-wrap: anywhere; }
li + li { border-top: 1px dotted var(--rule); }
details a { display: inline-block; padding: 0.15rem 0; font-variant-numeric: tabular-nums; white-space: nowrap; }
.notice { margin: 0 0 1.5rem; padding-left: 0.9rem; border-left: 4px solid var(--coral); color: var(--coral); }
.statement { margin: 1rem 0 1.5rem; }
.statement div { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0.25rem 1rem; padding: 0.35rem 0; }
.statement dd { text-align: right; font-variant-numeric: tabular-nums; }
.amount { white-space: nowrap; }
.total { font-weight: 650; }
form { margin: 0 0 0.75rem; }
.pay { min-height: 52px; border-color: var(--green); background: var(--green); color: var(--on-green); font-weight: 650; }
a.pay { margin-bottom: 1.5rem; padding-top: 0.85rem; }
`;
