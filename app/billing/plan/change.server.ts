import Stripe from "stripe";
import { z } from "zod";
import type { SignedInUser } from "../../auth/users.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { BILLING_LIMITS } from "../limits.ts";
import type { BillingApp } from "../stripe.server.ts";
import { requestPlanChange } from "./apply-plan-change.server.ts";
import {
  type ChangeOption,
  type ChangeReview,
  findSubscribedPlan,
  reviewChange,
  reviewedAt,
} from "./change-review.server.ts";
import { recordConsent } from "./consent.server.ts";
import type { PlanChange, PlanChangeRequest } from "./plan-change-request.server.ts";
import type { PlanOverview } from "./plan-overview.ts";
import { canBeChanged } from "./rules.ts";

const AWAY = "We couldn’t reach our payment provider. Nothing was changed. Try again in a moment.";
const NOT_ON_SALE = "That price is no longer available. Nothing was changed. Please choose again.";
const NOT_PAID =
  "Your last payment isn’t settled yet. Once it is, you can change your plan here. You’ll find the payment on your dashboard.";

type Reader = Pick<SignedInUser, "id" | "timeZone">;

/** @returns `cannot`: why the plan cannot be changed now; `null`: they have no plan */
export async function loadChange(app: BillingApp, reader: Reader, priceId: string | null) {
  const subscribed = await findSubscribedPlan(app, reader.id);
  if (!subscribed) return null;
  const { plan, options } = subscribed;
  const cannot = isPaidFor(plan) ? null : NOT_PAID;
  const page = { plan, options, review: null, failure: null, cannot };
  if (priceId === null || cannot) return page;
  const option = options.find(({ price }) => price.id === priceId);
  if (!option) return { ...page, failure: failure(404, NOT_ON_SALE) };
  const now = new Date(unixSeconds(new Date()) * 1000);
  const reviewed = await reviewWithinLimit(app, reader, plan, option, now);
  return reviewed.ok ? { ...page, review: reviewed.review } : { ...page, failure: reviewed };
}

const changeForm = z.strictObject({
  price: z.string().regex(/^\w{1,255}$/),
  at: z.string().max(20),
  due: z.string().regex(/^-?\d{1,12}$/),
});

/**
 * Confirms a change as reviewed, or redirects to the review when it is too old or its amount differs.
 * Failures: 400 other fields; 404 not on sale; 503 Stripe is away; those of `requestPlanChange`.
 */
export async function confirmChange(
  app: BillingApp,
  reader: Reader,
  form: FormData,
): Promise<{ ok: true; path: string } | Failure> {
  const userId = reader.id;
  const sent = changeForm.safeParse(Object.fromEntries(form));
  if (!sent.success) return failure(400, "Nothing was changed. Choose a plan and review it again.");
  const fields = sent.data;
  const made = await makeChange(app, reader, fields, async (tx, change, review) => {
    if (!review) return;
    const { subscriptionId, number, requestedAt } = change;
    const id = `${subscriptionId}-${number}-${requestedAt.getTime()}`;
    await recordConsent(tx, { id, userId, priceId: review.price.id, text: review.terms, subscriptionId });
  });
  if (!made.ok) return made;
  const reviewAgain = `/subscription/change?${new URLSearchParams({ price: fields.price, again: "1" })}`;
  return { ok: true, path: made.isAsReviewed ? "/dashboard" : reviewAgain };
}

/** Changes nothing if the review is too old or its amount differs. @param alsoWrite gets no review when the plan stays as it is */
export async function makeChange(
  app: BillingApp,
  reader: Reader,
  fields: { price: string; at: string; due: string },
  alsoWrite: (tx: Queryable, change: PlanChange, review: ChangeReview | null) => Promise<void>,
): Promise<{ ok: true; isAsReviewed: boolean } | Failure> {
  const subscribed = await findSubscribedPlan(app, reader.id);
  if (!subscribed || !isPaidFor(subscribed.plan)) return failure(409, NOT_PAID);
  const { plan, options } = subscribed;
  const request = async (wanted: PlanChangeRequest, review: ChangeReview | null) => {
    const requested = await requestPlanChange(app, reader.id, wanted, (tx, change) =>
      alsoWrite(tx, change, review),
    );
    return requested.ok ? { ok: true as const, isAsReviewed: true } : requested;
  };
  if (fields.price === plan.price.id) return request({ kind: "resume" }, null);
  const option = options.find(({ price }) => price.id === fields.price);
  if (!option) return failure(404, NOT_ON_SALE);

  const at = option.happens === "now" ? reviewedAt(fields.at, new Date()) : plan.currentPeriodEnd;
  if (!at) return { ok: true, isAsReviewed: false };
  const reviewed = await reviewWithinLimit(app, reader, plan, option, at);
  if (!reviewed.ok) return reviewed;
  const { due, startsAt } = reviewed.review;
  const isAsReviewed =
    due === Number(fields.due) && (option.happens === "now" || unixSeconds(startsAt) === Number(fields.at));
  if (!isAsReviewed) return { ok: true, isAsReviewed };
  const prorationDate = option.happens === "now" ? at : null;
  return request({ kind: "change", priceId: option.price.id, prorationDate }, reviewed.review);
}

/** Failures: 429 too often; 503 Stripe is off or away. */
async function reviewWithinLimit(
  app: BillingApp,
  { id: userId, timeZone }: Reader,
  plan: PlanOverview,
  option: ChangeOption,
  at: Date,
) {
  const { payments, log } = app;
  if (!payments.isOn) return failure(503, AWAY);
  const stripeApp = { ...app, stripe: payments.stripe };
  return withLimit(app, BILLING_LIMITS.changeReviewsByUser, userId, async () => {
    try {
      return { ok: true as const, review: await reviewChange(stripeApp, plan, option, at, timeZone) };
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      log.error({ error }, "Stripe did not calculate a plan change");
      return failure(503, AWAY);
    }
  });
}

function isPaidFor({ status, pause }: PlanOverview): boolean {
  return canBeChanged(status, pause !== null);
}

function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
