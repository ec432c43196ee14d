import { data, redirect, redirectDocument, useFetcher } from "react-router";
import { isOnAdminList, readUser, requireUser } from "../auth/session.server.ts";
import type { SignedInUser } from "../auth/users.server.ts";
import { isForever } from "../entitlements/expiry.ts";
import { refundTerms } from "../entitlements/features.ts";
import { readAccess, type UserSubscription } from "../entitlements/subscription.server.ts";
import { Until } from "../entitlements/subscription-facts.tsx";
import { PLAN_NAMES } from "../entitlements/tiers.ts";
import { WaitingGrants } from "../entitlements/waiting-grants-list.tsx";
import { type App, fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { isPrefetch } from "../http/page-cache.server.ts";
import { loginPath } from "../http/safe-path.ts";
import { answerAboutLink } from "../promo/check.server.ts";
import { type CodeAnswer, type PromoAnswer, promoUnsent } from "../promo/promo-answer.ts";
import { PromoForm, RedeemedNotice } from "../promo/promo-form.tsx";
import { readRedeemed, redeemOnPage } from "../promo/redeem-action.server.ts";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PrivateHead } from "../ui/private-page.tsx";
import { useRoot, useSite } from "../ui/site.ts";
import type { Route } from "./+types/subscription.ts";
import { listPlansOnSale } from "./catalogue.server.ts";
import { createCheckoutSession } from "./checkout.server.ts";
import { choiceIn, subscriptionPath } from "./choice.ts";
import { findUnconfirmedSession, wasLeftUnpaid } from "./confirm.server.ts";
import { CurrentPlan } from "./plan/current-plan.tsx";
import { readPlanInForce } from "./plan/plan-overview.server.ts";
import { type PlanOverview, situationOf } from "./plan/plan-overview.ts";
import { PlanChoice } from "./plan-choice.tsx";
import { featuresLead } from "./plan-terms.tsx";
import { BILLING_MESSAGES, chargedAmount, priceFor } from "./plans.ts";
import { promisesByPlan } from "./promises.server.ts";
import { chargeTerms } from "./renewal-terms.ts";

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => serverAction().catch(promoUnsent);

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
    const nothing = {
      plans: null,
      lead: "",
      promises: {},
      terms: {},
      paidPlan: null,
      heading: null,
      refund: null,
      promoIntro: introduceForm(null, null),
      subscription: null,
      waiting: [],
      preview: null,
      readyCode: null,
      answer: undefined,
      isBackUnpaid: false,
      checkoutError: undefined,
    };
    return data({ ...page, ...nothing }, { status: 503 });
  }
}

/** @throws a redirect for users who cannot choose a plan here */
async function loadPlansAndSubscription(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app, state } = fromContext(args.context);
  if (isOnAdminList(app, user)) throw redirect("/dashboard");
  if (await findUnconfirmedSession(app.db, user.id)) throw redirect("/dashboard");
  const query = new URL(args.request.url).searchParams;
  // Stripe first: it may have been paid after all.
  const isBackUnpaid = query.has("unpaid") && (await wasLeftUnpaid(app, user.id));
  const choice = choiceIn(args.request.url);
  const { promo } = choice;
  const preview = await answerAboutLink(app, state, user, promo, query.get("tier"));
  const readyCode = readyCodeOf(preview);
  const answer = await readRedeemed(app, user, args.request.url);
  const [plans, paidPlan, { subscription, waiting }] = await Promise.all([
    listPlansOnSale(app),
    readPlanInForce(app.db, user.id),
    readAccess(app.db, user.id),
  ]);
  const plan = plans.find(({ id }) => id === choice.plan);
  const price = plan && choice.billing && priceFor(plan, choice.billing);
  // After choosing on the pricing page and signing up or logging in, the payment page is next.
  const goesOn = query.has("pay") && price && !promo && !paidPlan && !isPrefetch(args.request.headers);
  const checkout = goesOn ? await openCheckout(app, user, price.id) : null;
  if (checkout?.ok) throw redirectDocument(checkout.url, 303);
  const checkoutError = checkout?.message;
  const terms = Object.fromEntries(
    plans
      .flatMap(({ prices }) => prices)
      .map((sold) => [sold.id, chargeTerms(sold, app.config.site.plusTax)]),
  );
  const features = app.features.current();
  return {
    plans,
    lead: featuresLead(features),
    promises: promisesByPlan(plans, features),
    terms,
    paidPlan,
    heading: paidPlan && headingOf(paidPlan),
    refund:
      paidPlan?.accessUntil && situationOf(paidPlan) !== "refunding"
        ? refundTerms(paidPlan.tier, features)
        : null,
    promoIntro: introduceForm(readyCode, paidPlan),
    subscription,
    waiting,
    preview,
    readyCode,
    answer,
    isBackUnpaid,
    checkoutError,
  };
}

export async function action({ request, context }: Route.ActionArgs) {
  const { app } = fromContext(context);
  const form = await readForm(request);
  if (form.get("form") === "promo") return redeemOnPage({ request, context }, form, "/subscription");
  const user = await readUser({ request, context });
  if (!user) {
    const choice = choiceIn(new URL(request.url).search);
    throw redirect(loginPath(subscriptionPath(choice), "subscribe"), 303);
  }
  if (isOnAdminList(app, user)) throw redirect("/dashboard", 303);

  const checkout = await openCheckout(app, user, form.get("price"));
  if (checkout.ok) throw redirectDocument(checkout.url, 303);
  const { status, message, headers } = checkout;
  return data({ checkoutError: message, result: undefined }, { status, headers });
}

function headingOf(plan: PlanOverview): string {
  const { status, price, plusTax, accessUntil, applying } = plan;
  const situation = situationOf(plan);
  // No line ends within it.
  const name = plan.name.replaceAll(" ", "\u00a0");
  if (situation === "refunding") return `${name} is being refunded`;
  if (applying === "cancel") return `${name} is being canceled`;
  if (situation === "ending") return `${name} is ending`;
  if (accessUntil) return `You’re on ${name}, ${chargedAmount(price)}${plusTax}`;
  return `${name} ${status === "incomplete" ? "hasn’t started" : "is on hold"}`;
}

function introduceForm(readyCode: string | null, paidPlan: PlanOverview | null) {
  const sentences = [
    !readyCode && "With a promo code you get a plan free for a limited time. No card needed.",
    paidPlan && `A code doesn’t change what you pay for ${paidPlan.name}.`,
  ];
  return {
    heading: readyCode ? `${readyCode} is ready` : "Have a promo code?",
    sentences: sentences.filter((sentence) => sentence !== false && sentence !== null),
  };
}

function readyCodeOf(preview: CodeAnswer | null): string | null {
  const { code, effect } = preview?.checked ?? {};
  return code && (effect?.kind === "applies" || effect?.kind === "follows") ? code : null;
}

function openCheckout(app: App, user: SignedInUser, price: unknown) {
  const { publicOrigin } = app.config;
  return createCheckoutSession(app, user, {
    price,
    success_url: `${publicOrigin}/dashboard`,
    cancel_url: `${publicOrigin}/subscription`,
  });
}

export default function Subscription({ loaderData, actionData }: Route.ComponentProps) {
  const { product } = useSite();
  const { plans, paidPlan, subscription, waiting, choice, preview, readyCode, isBackUnpaid } = loaderData;
  const fetcher = useFetcher<PromoAnswer>();
  const promoAnswer = fetcher.data ?? (actionData?.result ? actionData : loaderData.answer);
  const checkoutError =
    actionData && !actionData.result ? actionData.checkoutError : loaderData.checkoutError;
  const redeemed = promoAnswer?.redeemed;
  const isCodeFirst = choice.promo !== null;
  const chosen = paidPlan ? undefined : plans?.find(({ id }) => id === choice.plan);
  const promo = (
    <section className="part part-columns" aria-labelledby="promo-heading">
      <PromoForm
        isSecondary={!isCodeFirst}
        isPaying={paidPlan !== null}
        page="/subscription"
        fetcher={fetcher}
        isReady={readyCode !== null}
        tier={chosen?.tier}
        answer={promoAnswer}
        code={choice.promo}
        preview={preview}
      >
        <h2 id="promo-heading" className="[overflow-wrap:anywhere]">
          {loaderData.promoIntro.heading}
        </h2>
        {loaderData.promoIntro.sentences.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </PromoForm>
    </section>
  );
  return (
    <div className="page grid gap-10 py-10">
      <PrivateHead title="Choose your plan" />
      <h1>{paidPlan ? "Your plan" : `Choose Your ${product} Plan`}</h1>
      {redeemed ? (
        <RedeemedNotice
          redeemed={redeemed}
          afterSuccess={{ seconds: 2, to: { href: "/dashboard", label: "your dashboard" } }}
        />
      ) : (
        <>
          {isBackUnpaid && !paidPlan && !checkoutError && (
            <Notice tone="plain">Nothing was charged. Your choice is still here.</Notice>
          )}
          {isCodeFirst && promo}
          {plans === null && <Notice tone="bad">{BILLING_MESSAGES.plansFailed}</Notice>}
          {plans?.length === 0 && <Notice tone="plain">{BILLING_MESSAGES.noPlans}</Notice>}
          {paidPlan && <AlreadySubscribed {...loaderData} plan={paidPlan} />}
          {subscription && subscription.source !== "paid" && !paidPlan && <FreePlan {...subscription} />}
          <WaitingGrants grants={waiting} />
          {!paidPlan && plans && plans.length > 0 && (
            <PlanChoice
              {...loaderData}
              plans={plans}
              isQuiet={isCodeFirst || subscription !== null}
              error={checkoutError}
            />
          )}
          {!isCodeFirst &&
            (chosen || paidPlan ? (
              <details open={promoAnswer !== undefined}>
                <summary className="folded">Use a promo code{chosen && " instead"}</summary>
                {promo}
              </details>
            ) : (
              promo
            ))}
        </>
      )}
    </div>
  );
}

function AlreadySubscribed(props: { plan: PlanOverview; heading: string | null; refund: string | null }) {
  const { plan, heading, refund } = props;
  return (
    <section className="grid gap-5" aria-labelledby="current-plan">
      <h2 id="current-plan">{heading}</h2>
      <CurrentPlan plan={plan} />
      {refund && (
        <p className="max-w-[65ch]">
          {refund} <PageLink href="/subscription/refund">Get a refund</PageLink>
        </p>
      )}
      <p>
        Your card and your invoices are on <PageLink href="/dashboard">your dashboard</PageLink>.
      </p>
    </section>
  );
}

function FreePlan({ tier, promoCode, expiresAt }: UserSubscription) {
  const code = promoCode ? ` with code ${promoCode}` : "";
  const isEndless = isForever(expiresAt, useRoot().year);
  return (
    <Notice tone="good">
      You have {PLAN_NAMES[tier]} free{code}
      {isEndless ? ", " : " "}
      <Until tier={tier} instant={expiresAt} endless="with no end date" />.
      {!isEndless && " If you buy a plan now, it starts and is charged today."}
    </Notice>
  );
}
