import { readHostedForm } from "../../web.ts";
import { enterTimeOf, inTransaction, type Site } from "../transaction.ts";
import { authenticateCheckout, cancelCheckout, payCheckout, showBank, showCheckout } from "./checkout.ts";
import { authenticateInvoice, downloadInvoice, payInvoice, showInvoice, showInvoiceBank } from "./invoice.ts";
import { notFoundPage, type Visit } from "./page.ts";
import { authenticateCard, saveCard, saveDetails, showCardBank, showCardForm, showPortal } from "./portal.ts";

/** Everything that Stripe shows to people: checkout.stripe.com, invoice.stripe.com, billing.stripe.com and the bank's page. */
const PAGES: [method: "GET" | "POST", path: string, answer: (visit: Visit) => Promise<Response>][] = [
  ["GET", "checkout/:id", showCheckout],
  ["POST", "checkout/:id/pay", payCheckout],
  ["GET", "checkout/:id/authenticate/:detail", showBank],
  ["POST", "checkout/:id/authenticate/:detail", authenticateCheckout],
  ["POST", "checkout/:id/cancel", cancelCheckout],
  ["GET", "invoice/:id", showInvoice],
  ["POST", "invoice/:id/pay", payInvoice],
  ["GET", "invoice/:id/pdf", downloadInvoice],
  ["GET", "authenticate/:id", showInvoiceBank],
  ["POST", "authenticate/:id", authenticateInvoice],
  ["GET", "portal/:id", showPortal],
  ["GET", "portal/:id/card", showCardForm],
  ["POST", "portal/:id/card", saveCard],
  ["GET", "portal/:id/card/:detail/authenticate", showCardBank],
  ["POST", "portal/:id/card/:detail/authenticate", authenticateCard],
  ["POST", "portal/:id/details", saveDetails],
];

/** Answers a request for one of the pages; `path` has no slash in front. */
export async function answerPage(request: Request, path: string, site: Site): Promise<Response> {
  const found = PAGES.flatMap(([method, pattern, answer]) => {
    const params = match(pattern, path);
    return params ? [{ method, answer, ...params }] : [];
  });
  if (found.length === 0) return notFoundPage();
  const target = found.find(({ method }) => method === request.method);
  if (!target) {
    const allow = found.map(({ method }) => method).join(", ");
    return new Response(null, { status: 405, headers: { allow } });
  }
  const form = await readHostedForm(request);
  if (!form) return new Response("Too much was sent.\n", { status: 413 });
  const { id, detail } = target;
  return inTransaction(site, null, async (tx) => {
    await enterTimeOf(tx, [id], { lock: request.method === "POST" });
    return target.answer({ tx, id, detail, form });
  });
}

/** The values of a pattern's parameters; null when the path does not match. */
function match(pattern: string, path: string): { id: string; detail: string } | null {
  const [known, segments] = [pattern.split("/"), path.split("/")];
  if (known.length !== segments.length) return null;
  if (!known.every((part, at) => (part.startsWith(":") ? segments[at] !== "" : part === segments[at])))
    return null;
  const read = (name: string) => segments[known.indexOf(name)] ?? "";
  return { id: read(":id"), detail: read(":detail") };
}
