import type Stripe from "stripe";
import { type Html, html } from "../../page/html.ts";
import { formatAmount, formatDate, formatInterval } from "../format.ts";
import { findObject, listObjects } from "../store.ts";
import { cardName, portalDocument } from "./portal-page.ts";
import { DONE, type Notice, portalPage, type Visit } from "./visit.ts";

/** Everything at a glance: plans, cards, billing details and invoices. */
export async function showHome(visit: Visit): Promise<Response> {
  const { session } = visit;
  const sections = [
    await plansSection(visit),
    await cardsSection(visit),
    detailsSection(visit),
    await invoicesSection(visit),
  ];
  const content = html`<p class="quiet">${visit.customer.email ?? visit.customer.name ?? session.customer}</p>
    ${sections.map((section) => html`<section>${section}</section>`)}
    <p></p>`;
  const page = { title: "Your billing", notice: noticeOf(visit), content };
  return portalPage(visit, portalDocument(visit, page, true));
}

function noticeOf({ fields }: Visit): Notice | undefined {
  const done = fields.get("done") ?? "";
  return Object.hasOwn(DONE, done) ? { kind: "done", text: DONE[done as keyof typeof DONE] } : undefined;
}

async function plansSection(visit: Visit): Promise<Html> {
  const { tx, customer } = visit;
  const { data } = await listObjects(tx, "subscription", "", {
    limit: 20,
    having: { customer: customer.id },
  });
  const plans = data.filter(({ status }) => status !== "canceled" && status !== "incomplete_expired");
  if (plans.length === 0) return html`<h2>Plan</h2><p class="quiet">You have no plan at the moment.</p>`;
  const items: Html[] = [];
  for (const plan of plans) items.push(await planItem(visit, plan));
  return html`<h2>${plans.length > 1 ? "Plans" : "Plan"}</h2>
    <ul>${items}</ul>`;
}

async function planItem(visit: Visit, subscription: Stripe.Subscription): Promise<Html> {
  const price = subscription.items.data[0]?.price;
  const product = price && (await findObject(visit.tx, "product", String(price.product)));
  return html`<li>
    <div class="line">
      <strong>${product?.name ?? "Plan"}</strong>
      <span>${price && priceText(price)}</span>
    </div>
    <p class="quiet">${stateOf(subscription)}</p>
  </li>`;
}

/** `$4.99 per month` */
function priceText({ unit_amount, currency, recurring }: Stripe.Price): string {
  return `${formatAmount(unit_amount ?? 0, currency)} ${recurring ? formatInterval(recurring) : "once"}`;
}

function stateOf({ status, cancel_at, items, trial_end, pause_collection }: Stripe.Subscription): string {
  const end = items.data[0]?.current_period_end ?? 0;
  if (cancel_at !== null) return `Ends on ${formatDate(cancel_at)}.`;
  if (pause_collection) return "Payments are paused.";
  switch (status) {
    case "trialing":
      return `Free until ${formatDate(trial_end ?? end)}.`;
    case "past_due":
    case "unpaid":
      return "The last payment failed. Save another card to go on.";
    case "incomplete":
      return "The first payment is not complete.";
    default:
      return `Renews on ${formatDate(end)}.`;
  }
}

async function cardsSection({ tx, base, customer }: Visit): Promise<Html> {
  const { data } = await listObjects(tx, "payment_method", "", {
    limit: 20,
    having: { customer: customer.id },
  });
  const defaultCard = customer.invoice_settings.default_payment_method;
  const cards = data.map(({ id, card }) => {
    const isDefault = id === defaultCard;
    const name = cardName(card);
    return html`<li>
      <div class="line">
        <span>${name}${isDefault && html`<span class="tag">Default</span>`}</span>
        <span class="quiet">${expiryOf(card)}</span>
      </div>
      <div class="links">
        ${
          !isDefault &&
          html`<form method="post" action="${base}/card/${id}/default"
            ><button aria-label="Make default: ${name}">Make default</button></form>`
        }
        <form method="post" action="${base}/card/${id}/remove"><button aria-label="Remove: ${name}">Remove</button></form>
      </div>
    </li>`;
  });
  return html`<h2>Cards</h2>
    ${cards.length > 0 ? html`<ul>${cards}</ul>` : html`<p class="quiet">No card is saved.</p>`}
    <a class="button" href="${base}/card">Add a card</a>`;
}

function expiryOf(card: Stripe.PaymentMethod["card"]): string {
  return card ? `Expires ${String(card.exp_month).padStart(2, "0")}/${card.exp_year}` : "";
}

function detailsSection({ base, customer }: Visit): Html {
  const { line1, line2, city, state, postal_code, country } = customer.address ?? {};
  const place = [line1, line2, [postal_code, city].filter(Boolean).join(" "), state, country];
  const lines = [customer.name, customer.email, ...place, customer.phone].filter(Boolean);
  return html`<h2>Billing details</h2>
    <p>${lines.map((line) => html`<span class="row">${line}</span>`)}</p>
    <a class="button" href="${base}/details">Change billing details</a>`;
}

const INVOICE_STATES = new Map([
  ["open", "Due"],
  ["paid", "Paid"],
  ["uncollectible", "Not paid"],
  ["void", "Void"],
]);

async function invoicesSection({ tx, customer }: Visit): Promise<Html> {
  const { data } = await listObjects(tx, "invoice", "", {
    limit: 24,
    having: { customer: customer.id },
    except: { status: "draft" },
  });
  const invoices = data.map(
    (invoice) => html`<li>
      <div class="line">
        <span>${formatDate(invoice.created)}</span>
        <span>${formatAmount(invoice.total, invoice.currency)} · ${INVOICE_STATES.get(invoice.status ?? "") ?? ""}</span>
      </div>
      <div class="links">
        ${
          invoice.hosted_invoice_url &&
          html`<a href="${invoice.hosted_invoice_url}" aria-label="View invoice ${invoice.number}">View invoice</a>`
        }
        ${
          invoice.invoice_pdf &&
          html`<a href="${invoice.invoice_pdf}" aria-label="PDF of invoice ${invoice.number}">PDF</a>`
        }
      </div>
    </li>`,
  );
  return html`<h2>Invoices</h2>
    ${invoices.length > 0 ? html`<ul>${invoices}</ul>` : html`<p class="quiet">There are no invoices yet.</p>`}`;
}
