import type Stripe from "stripe";
import { html } from "../../page/html.ts";
import { pageResponse } from "../../page/responses.ts";
import { callEndpoint } from "../api/call-endpoint.ts";
import { formatAmount, formatDate } from "../format.ts";
import { findObject } from "../store.ts";
import { isScheduled, scheduleChange } from "./change-later.ts";
import { choicesFor } from "./choices.ts";
import { priceText } from "./home.ts";
import { notFoundPage, portalDocument } from "./portal-page.ts";
import { afterwards, type Notice, orAgain, ownSubscription, portalPage, type Visit } from "./visit.ts";

/** The plans to choose from; once one is chosen, what that means. */
export async function showChange(visit: Visit): Promise<Response> {
  const subscription = await ownSubscription(visit);
  if (!subscription) return pageResponse(404, notFoundPage());
  const choices = await choicesFor(visit, subscription);
  const chosen = choices.find(({ price }) => price.id === visit.fields.get("price"));
  if (!chosen) return choosePage(visit, subscription, choices);
  return orAgain(
    () => reviewPage(visit, subscription, chosen.price),
    (notice, status) => choosePage(visit, subscription, choices, notice, status),
  );
}

export async function changePlan(visit: Visit): Promise<Response> {
  const subscription = await ownSubscription(visit);
  const choices = subscription ? await choicesFor(visit, subscription) : [];
  const price = choices.find((choice) => choice.price.id === visit.fields.get("price"))?.price;
  const item = subscription?.items.data[0];
  if (!subscription || !price || !item) return pageResponse(404, notFoundPage());
  const { tx, features, fields } = visit;
  return orAgain(
    async () => {
      if (isScheduled(visit, item.price, price)) {
        await scheduleChange(tx, subscription, price);
        return afterwards(visit, "scheduled");
      }
      const { proration_behavior } = features.subscription_update;
      const proration_date = fields.get("proration_date") ?? "";
      await callEndpoint(tx, "POST", `/v1/subscriptions/${subscription.id}`, {
        items: { 0: { id: item.id, price: price.id } },
        proration_behavior,
        ...(proration_behavior !== "none" && /^\d{1,12}$/.test(proration_date) && { proration_date }),
      });
      return afterwards(visit, "changed");
    },
    (notice, status) => choosePage(visit, subscription, choices, notice, status),
  );
}

function choosePage(
  visit: Visit,
  subscription: Stripe.Subscription,
  choices: Awaited<ReturnType<typeof choicesFor>>,
  notice?: Notice,
  status = 200,
): Response {
  const options = choices.map(
    ({ price, product }) => html`<label class="choice"
      ><input type="radio" name="price" value="${price.id}" required
      ><span>${product.name}, ${priceText(price)}</span></label>`,
  );
  const content =
    choices.length === 0
      ? html`<p>There is no other plan to choose.</p>`
      : html`<form method="get" action="${visit.base}/change/${subscription.id}">
          <fieldset><legend>Change to</legend>${options}</fieldset>
          <button class="main">Review the change</button>
        </form>`;
  return portalPage(visit, portalDocument(visit, { title: "Change your plan", notice, content }), status);
}

/** What is due today and what follows, by Stripe's own preview. */
async function reviewPage(
  visit: Visit,
  subscription: Stripe.Subscription,
  price: Stripe.Price,
): Promise<Response> {
  const { tx, base, customer, features } = visit;
  const [item] = subscription.items.data;
  if (!item) return pageResponse(404, notFoundPage());
  const product = await findObject(tx, "product", String(price.product));
  const title = `Change to ${product?.name ?? "another plan"}`;
  const action = `${base}/change/${subscription.id}`;
  if (isScheduled(visit, item.price, price)) {
    const content = html`
      <dl>
        <div class="total"><dt>Due today</dt><dd>${formatAmount(0, price.currency)}</dd></div>
        <div><dt>From ${formatDate(item.current_period_end)}</dt><dd>${priceText(price)}</dd></div>
      </dl>
      <p>You keep what you have until then.</p>
      <form method="post" action="${action}">
        <input type="hidden" name="price" value="${price.id}"><button class="main">Confirm</button>
      </form>`;
    return portalPage(visit, portalDocument(visit, { title, content }));
  }
  const { proration_behavior } = features.subscription_update;
  const preview = await callEndpoint<Stripe.Invoice>(tx, "POST", "/v1/invoices/create_preview", {
    customer: customer.id,
    subscription: subscription.id,
    subscription_details: {
      items: { 0: { id: item.id, price: price.id } },
      proration_behavior,
      ...(proration_behavior !== "none" && { proration_date: String(tx.now) }),
    },
  });
  const isDueToday = proration_behavior === "always_invoice";
  const content = html`
    <dl>
      ${preview.lines.data.map(
        (line) =>
          html`<div><dt>${line.description}</dt><dd>${formatAmount(line.amount, line.currency)}</dd></div>`,
      )}
      <div class="total">
        <dt>${isDueToday ? "Due today" : "On your next invoice"}</dt>
        <dd>${formatAmount(preview.amount_due, preview.currency)}</dd>
      </div>
      <div><dt>After that</dt><dd>${priceText(price)}</dd></div>
    </dl>
    <form method="post" action="${action}">
      <input type="hidden" name="price" value="${price.id}">
      <input type="hidden" name="proration_date" value="${String(tx.now)}">
      <button class="main">${
        isDueToday && preview.amount_due > 0
          ? `Pay ${formatAmount(preview.amount_due, preview.currency)} and change`
          : "Confirm"
      }</button>
    </form>`;
  return portalPage(visit, portalDocument(visit, { title, content }));
}
