import { data, redirect, redirectDocument } from "react-router";
import { z } from "zod";
import { isOnAdminList, requireUser } from "../auth/session.server.ts";
import { UnverifiedNotice } from "../auth/unverified-notice.tsx";
import { confirmPayment, setPaidCookie, takePaidCookie } from "../billing/confirm.server.ts";
import { ConfirmingNotice } from "../billing/confirming-notice.tsx";
import { requestPlanChange } from "../billing/plan/apply-plan-change.server.ts";
import { CurrentPlan } from "../billing/plan/current-plan.tsx";
import { EndedPlan, PaymentsSection } from "../billing/plan/payments-section.tsx";
import { readPlanAndPayments } from "../billing/plan/plan-overview.server.ts";
import { FailureNotice, failureResponse } from "../billing/plan/plan-page.tsx";
import { openPortal, syncAfterPortal } from "../billing/plan/portal.server.ts";
import { isOver } from "../billing/plan/rules.ts";
import { ADMIN_HAS_NO_PLAN } from "../billing/plans.ts";
import { summarizeCategories } from "../categories/label-sample.ts";
import { isForever } from "../entitlements/expiry.ts";
import { type FeatureStates, useFeatures } from "../entitlements/features.ts";
import { readAccess } from "../entitlements/subscription.server.ts";
import { Fact, SubscriptionFacts } from "../entitlements/subscription-facts.tsx";
import {
  FEATURE_NAMES,
  FEATURES_BY_TIER,
  type Feature,
  PLAN_NAMES,
  type Tier,
} from "../entitlements/tiers.ts";
import { WaitingGrants } from "../entitlements/waiting-grants-list.tsx";
import { fromContext } from "../http/context.server.ts";
import { parseForm } from "../http/form.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { formatDay } from "../ui/format-day.ts";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PrivateHead } from "../ui/private-page.tsx";
import { sendPress } from "../ui/send-form.ts";
import { useRoot, useSite } from "../ui/site.ts";
import type { Route } from "./+types/dashboard.ts";
import { planFacts, readDashboard } from "./dashboard.server.ts";
import { SavedCategories } from "./saved-categories.tsx";

const NEWS_SHOWN = 3;

export async function loader({ request, context }: Route.LoaderArgs) {
  const user = await requireUser({ request, context });
  const { app, state } = fromContext(context);
  const query = new URL(request.url).searchParams;
  const { unconfirmedSession, categories } = await readDashboard(app.db, user.id);
  const sessionId = query.get("session_id") ?? unconfirmedSession;
  const payment = sessionId ? await confirmPayment(app, user.id, sessionId) : null;
  const outcome = payment?.outcome;
  if (outcome === "confirmed") {
    await setPaidCookie(app.config, state);
    throw redirect("/dashboard?paid=1");
  }
  if (outcome === "nothing" && query.has("session_id")) throw redirect("/dashboard");
  if (outcome === "unpaid" && query.has("session_id")) throw redirect("/subscription");
  if (query.has("returned")) {
    await syncAfterPortal(app, user.id);
    throw redirect("/dashboard");
  }
  const hasPaid = query.has("paid") && (await takePaidCookie(app.config, state, request));
  if (query.has("paid") && !hasPaid) throw redirect("/dashboard");

  const [{ subscription, waiting }, paid] = await Promise.all([
    readAccess(app.db, user.id),
    readPlanAndPayments(app, user.id),
  ]);
  return {
    welcomeName: user.name || user.email,
    unverified: user.emailVerified ? null : user.email,
    isAdmin: isOnAdminList(app, user),
    subscription,
    waiting,
    paid,
    facts: planFacts(subscription, paid?.plan),
    news: app.changelog
      .current()
      .slice(0, NEWS_SHOWN)
      .map(({ id, title, day }) => ({ id, title, day })),
    categories: summarizeCategories(categories),
    secondsWaited: payment?.outcome === "waiting" ? payment.secondsWaited : null,
    isJustPaid: hasPaid && subscription?.source === "paid",
  };
}

const BUTTON_FIELDS = { do: z.enum(["resume", "card", "billing"]) };

export async function action(args: Route.ActionArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  const fields = await parseForm(args.request, BUTTON_FIELDS);
  const outcome =
    fields.do === "resume"
      ? { ...(await requestPlanChange(app, user.id, { kind: "resume" })), url: "/dashboard" }
      : await openPortal(app, user.id, fields.do);
  if (!outcome.ok) return data(...failureResponse(outcome));
  throw redirectDocument(outcome.url, 303);
}

export const clientAction = sendPress;

export default function Dashboard({ loaderData, actionData }: Route.ComponentProps) {
  const { welcomeName, unverified, isAdmin, subscription, waiting, paid } = loaderData;
  const { facts, secondsWaited, isJustPaid } = loaderData;
  const { isSelling, year } = useRoot();
  const features = useFeatures();
  const paidPlan = paid && !isOver(paid.plan.status) ? paid.plan : null;
  const categories = <SavedCategories categories={loaderData.categories} />;
  const hasPlan = subscription !== null || paidPlan !== null;
  return (
    <div className="page grid gap-10 py-10">
      <PrivateHead title="Dashboard" />
      <h1>Welcome, {welcomeName}</h1>
      <FailureNotice message={actionData?.message} />
      {isJustPaid && <Notice tone="good">Payment received, thank you. Your receipt is in your email.</Notice>}
      {paidPlan && <CurrentPlan plan={paidPlan} />}
      {unverified && <UnverifiedNotice email={unverified} />}
      <div className="dashboard">
        {hasPlan && categories}
        <section className="part" aria-labelledby="subscription">
          <h2 id="subscription">Your subscription</h2>
          {secondsWaited !== null && <ConfirmingNotice secondsWaited={secondsWaited} />}
          {subscription && <SubscriptionFacts subscription={subscription} states={features} {...facts} />}
          {subscription &&
            subscription.source !== "paid" &&
            !paidPlan &&
            !isForever(subscription.expiresAt, year) && (
              <p>
                When it ends, you won’t be charged.{" "}
                {!isAdmin && isSelling && (
                  <>
                    <PageLink href="/subscription">Choose a plan</PageLink> to continue.
                  </>
                )}
              </p>
            )}
          {!subscription && paidPlan && (
            <dl className="grid">
              <Fact name="Status">{facts.status}</Fact>
              <Fact name="Plan">{paidPlan.name}</Fact>
            </dl>
          )}
          <WaitingGrants grants={waiting} />
          {subscription && subscription.source !== "paid" && paidPlan && (
            <p>Your code is free. The plan you pay for continues, and so do its payments.</p>
          )}
          {paid && !paidPlan && <EndedPlan plan={paid.plan} invoices={paid.invoices} />}
          {!subscription && !paidPlan && secondsWaited === null && <NoSubscription isAdmin={isAdmin} />}
        </section>
        {!hasPlan && categories}
        <ComingSoon features={features} news={loaderData.news} tier={(subscription ?? paidPlan)?.tier} />
      </div>
      {paid && <PaymentsSection {...paid} />}
    </div>
  );
}

type Shown = Route.ComponentProps["loaderData"];

/** The plan page redirects admins back here (spec §6). */
function NoSubscription({ isAdmin }: { isAdmin: boolean }) {
  const { product } = useSite();
  if (isAdmin) return <p>{ADMIN_HAS_NO_PLAN}</p>;
  return (
    <>
      <p>{`No active subscription found. Please subscribe to access ${product} features.`}</p>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
        <ButtonLink href="/subscription">Subscribe Now</ButtonLink>
        <PageLink href="/subscription#promo-heading" className="inline-flex items-center min-h-11">
          Have a code?
        </PageLink>
      </div>
    </>
  );
}

const WHAT_IT_DOES: Record<Feature, string> = {
  csv_processing: "upload your bank’s file and see it in your own words.",
  banking_api: "transactions come in automatically.",
};

/** Spec §2. */
function ComingSoon(props: { features: FeatureStates; news: Shown["news"]; tier: Tier | undefined }) {
  const { features, news, tier } = props;
  const keys = Object.keys(WHAT_IT_DOES) as Feature[];
  const open = keys.filter((key) => features[key].isOpen);
  const closed = keys.filter((key) => !features[key].isOpen);
  return (
    <section className="part" aria-labelledby={open.length > 0 ? "open-now" : "coming-soon"}>
      {open.length > 0 && (
        <>
          <h2 id="open-now">Open now</h2>
          <FeatureList keys={open} tier={tier} />
        </>
      )}
      {closed.length > 0 && (
        <>
          <h2 id="coming-soon" className={open.length > 0 ? "pt-4" : undefined}>
            Coming Soon
          </h2>
          <p>
            We’re building these during the beta.{" "}
            {tier ? "What your plan includes" : "If you buy a plan, what it includes"} opens here when it’s
            ready.
          </p>
          <FeatureList keys={closed} tier={tier} />
        </>
      )}
      {news.length > 0 && (
        <>
          <h3 className="pt-3">What we’re building</h3>
          <ul className="grid gap-3">
            {news.map((entry) => (
              <li key={entry.id}>
                <PageLink href={`/changelog#${entry.id}`} className="inline-flex items-center min-h-11">
                  {entry.title}
                </PageLink>
                <p className="text-quiet">
                  <time dateTime={entry.day}>{formatDay(new Date(entry.day))}</time>
                </p>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function FeatureList({ keys, tier }: { keys: readonly Feature[]; tier: Tier | undefined }) {
  return (
    <ul className="list">
      {keys.map((key) => (
        <li key={key}>
          <strong>{FEATURE_NAMES[key]}</strong>
          {tier && !FEATURES_BY_TIER[tier].includes(key) && ` (with ${PLAN_NAMES.premium})`}:{" "}
          {WHAT_IT_DOES[key]}
        </li>
      ))}
    </ul>
  );
}
