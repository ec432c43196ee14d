import { data, redirect, useNavigate } from "react-router";
import { isOnAdminList, readUser, requireUser } from "../account/session.server.ts";
import { fromContext } from "../context.server.ts";
import { readForm } from "../http/form.server.ts";
import { loginPath } from "../http/safe-path.ts";
import { pageMeta } from "../marketing/title.ts";
import { PromoForm } from "../promo/promo-form.tsx";
import { redeemAction } from "../promo/redeem-action.server.ts";
import { useSite } from "../site.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import type { Route } from "./+types/subscription.ts";
import { listPlansOnSale } from "./catalogue.server.ts";
import { createCheckoutSession } from "./checkout.server.ts";
import { PlanChoice } from "./plan-choice.tsx";
import { BILLING_MESSAGES } from "./plans.ts";
import { SubscriptionOnHold } from "./subscription-on-hold.tsx";
import { findOpenSubscription } from "./sync.server.ts";

export const handle = { hydrate: true, isSignedIn: true };

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Choose your plan", "Pay for a plan or redeem a promo code.");

export async function loader({ request, context }: Route.LoaderArgs) {
  const user = await requireUser({ request, context });
  const { app, state } = fromContext(context);
  if (isOnAdminList(app, user)) throw redirect("/dashboard");
  const plans = await listPlansOnSale(app).catch((error: unknown) => {
    app.log.error({ error, id: state.id }, BILLING_MESSAGES.plansFailed);
    return null;
  });
  const query = new URL(request.url).searchParams;
  return {
    plans,
    paidStatus: (await findOpenSubscription(app.db, user.id))?.status ?? null,
    promoCode: query.get("promo"),
    origin: app.config.publicOrigin,
  };
}

export async function action({ request, context }: Route.ActionArgs) {
  const { app, state } = fromContext(context);
  const user = await readUser({ request, context });
  const form = await readForm(request);
  if (form.get("form") === "promo") return redeemAction({ app, state }, user, form, "/subscription");
  if (!user) throw redirect(loginPath("/subscription", "subscribe"), 303);

  const { publicOrigin } = app.config;
  const checkout = await createCheckoutSession(app, user, {
    price: form.get("price"),
    success_url: `${publicOrigin}/dashboard`,
    cancel_url: `${publicOrigin}/subscription`,
  });
  if (checkout.ok) throw redirect(checkout.url, 303);
  return data({ checkoutError: checkout.message }, { status: checkout.status });
}

export default function Subscription({ loaderData, actionData }: Route.ComponentProps) {
  const { product } = useSite();
  const navigate = useNavigate();
  const { plans, paidStatus, promoCode, origin } = loaderData;
  const promoAnswer = actionData && "redeemed" in actionData ? actionData : undefined;
  const checkoutError = actionData && "checkoutError" in actionData ? actionData.checkoutError : undefined;
  return (
    <div className="page grid gap-10 py-10 md:py-16">
      <h1>{`Choose Your ${product} Plan`}</h1>
      {plans === null && <Notice tone="bad">{BILLING_MESSAGES.plansFailed}</Notice>}
      {plans?.length === 0 && <Notice tone="plain">{BILLING_MESSAGES.noPlans}</Notice>}
      {paidStatus && <PaysAlready status={paidStatus} />}
      {!paidStatus && plans && plans.length > 0 && (
        <PlanChoice plans={plans} origin={origin} error={checkoutError} />
      )}
      <section
        className="grid gap-x-16 gap-y-6 border-t-2 border-ink pt-8 md:grid-cols-2 items-start"
        aria-labelledby="promo-heading"
      >
        <div className="grid gap-4">
          <h2 id="promo-heading">Have a promo code?</h2>
          <p>
            A promo code gives you a plan for a while. It costs nothing, asks for no card, and ends by itself.
          </p>
        </div>
        <PromoForm
          answer={promoAnswer}
          code={promoCode}
          afterSuccess={{ seconds: 2, run: () => navigate("/dashboard"), to: "/dashboard" }}
        />
      </section>
    </div>
  );
}

function PaysAlready({ status }: { status: string }) {
  if (status !== "active" && status !== "trialing") return <SubscriptionOnHold />;
  return (
    <Notice tone="plain">
      <p className="pb-3">
        You already pay for a plan. A second one would charge you twice, so there is none to choose here.
      </p>
      <ButtonLink href="/dashboard">To your dashboard</ButtonLink>
    </Notice>
  );
}
