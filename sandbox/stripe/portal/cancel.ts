import type Stripe from "stripe";
import { type Html, html } from "../../page/html.ts";
import { pageResponse } from "../../page/responses.ts";
import { callEndpoint } from "../api/call-endpoint.ts";
import type { FormFields } from "../api/form.ts";
import { formatDate } from "../format.ts";
import { notFoundPage, portalDocument } from "./portal-page.ts";
import { afterwards, type Notice, orAgain, ownSubscription, portalPage, type Visit } from "./visit.ts";

const REASONS = new Map([
  ["too_expensive", "It’s too expensive"],
  ["missing_features", "Some features I need are missing"],
  ["switched_service", "I found an alternative"],
  ["unused", "I don’t use it enough"],
  ["customer_service", "Customer service was less than expected"],
  ["too_complex", "It’s too difficult to use"],
  ["low_quality", "The quality was less than expected"],
  ["other", "Another reason"],
]);

export async function showCancellation(visit: Visit): Promise<Response> {
  const subscription = await ownSubscription(visit);
  return subscription ? cancelForm(visit, subscription) : pageResponse(404, notFoundPage());
}

/** At once or at the end of the period, as the configuration says; the reason is asked for and not required. */
export async function cancelPlan(visit: Visit): Promise<Response> {
  const subscription = await ownSubscription(visit);
  if (!subscription) return pageResponse(404, notFoundPage());
  const { tx, features, fields } = visit;
  const feedback = fields.get("reason") ?? "";
  const details: FormFields = REASONS.has(feedback) ? { cancellation_details: { feedback } } : {};
  const path = `/v1/subscriptions/${subscription.id}`;
  return orAgain(
    async () => {
      if (features.subscription_cancel.mode === "immediately") {
        const prorate = features.subscription_cancel.proration_behavior !== "none" ? "true" : "false";
        await callEndpoint(tx, "DELETE", path, { prorate, ...details });
      } else {
        await callEndpoint(tx, "POST", path, { cancel_at_period_end: "true", ...details });
      }
      return afterwards(visit, "canceled");
    },
    (notice, status) => cancelForm(visit, subscription, notice, status),
  );
}

/** Takes back a cancellation that is still to come. */
export async function keepPlan(visit: Visit): Promise<Response> {
  const subscription = await ownSubscription(visit);
  if (!subscription) return pageResponse(404, notFoundPage());
  const undo: FormFields = subscription.cancel_at_period_end
    ? { cancel_at_period_end: "false" }
    : { cancel_at: "" };
  await callEndpoint(visit.tx, "POST", `/v1/subscriptions/${subscription.id}`, undo);
  return afterwards(visit, "kept");
}

function cancelForm(
  visit: Visit,
  subscription: Stripe.Subscription,
  notice?: Notice,
  status = 200,
): Response {
  const { base, features, session } = visit;
  const { mode, cancellation_reason } = features.subscription_cancel;
  const end = subscription.items.data[0]?.current_period_end ?? 0;
  const content = html`
    <p>${
      mode === "immediately"
        ? "Your plan ends at once, and what it gives you with it."
        : `Your plan stays as it is until ${formatDate(end)}, and is not renewed then. You can take this back until that day.`
    }</p>
    <form method="post" action="${base}/cancel/${subscription.id}">
      ${cancellation_reason.enabled && reasons(cancellation_reason.options)}
      <button class="main">Cancel plan</button>
    </form>
    <a class="button" href="${(session.flow && session.return_url) ?? `${base}/home`}">Keep plan</a>`;
  return portalPage(visit, portalDocument(visit, { title: "Cancel your plan", notice, content }), status);
}

function reasons(options: string[]): Html {
  return html`<fieldset>
    <legend>Why? You don’t have to say.</legend>
    ${options.map(
      (option) => html`<label class="choice"
        ><input type="radio" name="reason" value="${option}">${REASONS.get(option) ?? option}</label>`,
    )}
  </fieldset>`;
}
