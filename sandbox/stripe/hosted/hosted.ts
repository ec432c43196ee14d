import { readHostedForm } from "../../web.ts";
import { idIn } from "../paths.ts";
import { enterTimeOf, inTransaction, type Site } from "../transaction.ts";
import { cancelCheckout, payCheckout, showCheckout } from "./checkout.ts";
import { authenticateInvoice, downloadInvoice, payInvoice, showInvoice, showInvoiceBank } from "./invoice.ts";
import { notFoundPage, type Visit } from "./page.ts";
import { saveCard, saveDetails, showCardForm, showPortal } from "./portal.ts";

/** Everything that Stripe shows to people: checkout.stripe.com, invoice.stripe.com, billing.stripe.com and the bank's page. */
const PAGES: [method: "GET" | "POST", path: string, answer: (visit: Visit) => Promise<Response>][] = [
  ["GET", "checkout/:id", showCheckout],
  ["POST", "checkout/:id/pay", payCheckout],
  ["POST", "checkout/:id/cancel", cancelCheckout],
  ["GET", "invoice/:id", showInvoice],
  ["POST", "invoice/:id/pay", payInvoice],
  ["GET", "invoice/:id/pdf", downloadInvoice],
  ["GET", "authenticate/:id", showInvoiceBank],
  ["POST", "authenticate/:id", authenticateInvoice],
  ["GET", "portal/:id", showPortal],
  ["GET", "portal/:id/card", showCardForm],
  ["POST", "portal/:id/card", saveCard],
  ["POST", "portal/:id/details", saveDetails],
];

/** Answers a request for one of the pages; `path` has no slash in front. */
export async function answerPage(request: Request, path: string, site: Site): Promise<Response> {
  const found = PAGES.filter(([, pattern]) => idIn(path, pattern) !== null);
  if (found.length === 0) return notFoundPage();
  const [, pattern, answer] = found.find(([method]) => method === request.method) ?? [];
  if (!pattern || !answer) {
    const allow = found.map(([method]) => method).join(", ");
    return new Response(null, { status: 405, headers: { allow } });
  }
  const form = await readHostedForm(request);
  if (!form) return new Response("Too much was sent.\n", { status: 413 });
  const id = idIn(path, pattern) ?? "";
  return inTransaction(site, null, async (tx) => {
    await enterTimeOf(tx, [id], { lock: request.method === "POST" });
    return answer({ tx, id, form });
  });
}
