import { data, redirect, useNavigate } from "react-router";
import { isOnAdminList, readUser, requireUser } from "../auth/session.server.ts";
import { refundTerms, useFeatures } from "../entitlements/features.ts";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { loginPath } from "../http/safe-path.ts";
import { PromoForm, RedeemedNotice } from "../promo/promo-form.tsx";
import { PROMO_NOT_SENT } from "../promo/promo-form-schema.ts";
import { redeemAction } from "../promo/redeem-action.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { pageMeta } from "../ui/page-meta.ts";
import { useSite } from "../ui/site.ts";
import { whenOffline } from "../ui/when-offline.ts";
import type { Route } from "./+types/subscription.ts";
import { listPlansOnSale } from "./catalogue.server.ts";
import { createCheckoutSession } from "./checkout.server.ts";
import { choiceIn, subscriptionPath } from "./choice.ts";
import { findUnconfirmedSession } from "./confirm.server.ts";
import { findPaidPlan, type PaidPlan } from "./paid-plan.server.ts";
import { PaidPlanNotice } from "./paid-plan-notice.tsx";
import { PlanChoice } from "./plan-choice.tsx";
import { BILLING_MESSAGES } from "./plans.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Choose your plan", "Pay for a plan or redeem a promo code.");

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader(args: Route.LoaderArgs) {
  const { app, state } = fromContext(args.context);
  const choice = choiceIn(new URL(args.request.url).search);
  const page = { choice, origin: app.config.publicOrigin };
  try {
    return data({ ...page, ...(await loadPlansAndSubscription(args)) });
  } catch (error) {
    if (error instanceof Response) throw error;
    app.log.error({ error, id: state.id }, BILLING_MESSAGES.plansFailed);
    // The promo form stays usable and keeps its input.
    return data({ ...page, plans: null, paidPlan: null }, { status: 503 });
  }
}

/** @throws a redirect for users who cannot choose a plan here */
async function loadPlansAndSubscription(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  if (isOnAdminList(app, user)) throw redirect("/dashboard");
  if (await findUnconfirmedSession(app.db, user.id)) throw redirect("/dashboard");
  const [plans, paidPlan] = await Promise.all([listPlansOnSale(app), findPaidPlan(app.db, user.id)]);
  return { plans, paidPlan };
}

export async function action({ request, context }: Route.ActionArgs) {
  const { app } = fromContext(context);
  const form = await readForm(request);
  if (form.get("form") === "promo") return redeemAction({ request, context }, form, "/subscription");
  const user = await readUser({ request, context });
  if (!user) {
    const choice = choiceIn(new URL(request.url).search);
    throw redirect(loginPath(subscriptionPath(choice), "subscribe"), 303);
  }
  if (isOnAdminList(app, user)) throw redirect("/dashboard", 303);

  const { publicOrigin } = app.config;
  const checkout = await createCheckoutSession(app, user, {
    price: form.get("price"),
    success_url: `${publicOrigin}/dashboard`,
    cancel_url: `${publicOrigin}/subscription`,
  });
  if (checkout.ok) throw redirect(checkout.url, 303);
  const { status, message, headers } = checkout;
  return data({ checkoutError: message }, { status, headers });
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return whenOffline(serverAction, PROMO_NOT_SENT);
}

export default function Subscription({ loaderData, actionData }: Route.ComponentProps) {
  const { product } = useSite();
  const navigate = useNavigate();
  const { plans, paidPlan, choice, origin } = loaderData;
  const promoAnswer = actionData && "redeemed" in actionData ? actionData : undefined;
  const checkoutError = actionData && "checkoutError" in actionData ? actionData.checkoutError : undefined;
  // Who comes with a code and no plan is here for the code.
  const isForCode = choice.promo !== null && choice.plan === null;
  const promo = (
    <section className="part part-columns" aria-labelledby="promo-heading">
      <div className="grid gap-4">
        <h2 id="promo-heading">Have a promo code?</h2>
        <p>With a promo code you get a plan free for a limited time. No card needed.</p>
        {paidPlan && <p>{`A code doesn’t change what you pay for ${paidPlan.name}.`}</p>}
      </div>
      <PromoForm
        isSecondary={!isForCode}
        isPaying={paidPlan !== null}
        answer={promoAnswer}
        code={choice.promo}
        afterSuccess={{ seconds: 2, run: () => navigate("/dashboard"), to: "/dashboard" }}
      />
    </section>
  );
  return (
    <div className="page grid gap-10 py-10">
      <h1>{`Choose Your ${product} Plan`}</h1>
      {promoAnswer?.redeemed && <RedeemedNotice redeemed={promoAnswer.redeemed} next="/dashboard" />}
      {isForCode && promo}
      {plans === null && <Notice tone="bad">{BILLING_MESSAGES.plansFailed}</Notice>}
      {plans?.length === 0 && <Notice tone="plain">{BILLING_MESSAGES.noPlans}</Notice>}
      {paidPlan && <AlreadySubscribed plan={paidPlan} />}
      {!paidPlan && plans && plans.length > 0 && (
        <PlanChoice plans={plans} origin={origin} choice={choice} error={checkoutError} />
      )}
      {!isForCode && promo}
    </div>
  );
}

function AlreadySubscribed({ plan }: { plan: PaidPlan }) {
  const { supportEmail } = useSite();
  const mailTo = (subject: string) => `mailto:${supportEmail}?subject=${encodeURIComponent(subject)}`;
  return (
    <section className="grid gap-4 measure" aria-labelledby="current-plan">
      <h2 id="current-plan">You’re on {plan.name}</h2>
      <PaidPlanNotice plan={plan} />
      <p>{refundTerms(null, useFeatures())}</p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href={mailTo("Change my plan")} isQuiet>
          Email us to change plan
        </ButtonLink>
        <ButtonLink href={mailTo("Cancel my plan")} isQuiet>
          Email us to cancel
        </ButtonLink>
      </div>
    </section>
  );
}
