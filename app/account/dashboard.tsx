import { data, redirect, redirectDocument } from "react-router";
import { isOnAdminList, requireUser } from "../auth/session.server.ts";
import { UnverifiedNotice } from "../auth/unverified-notice.tsx";
import { confirmPayment, findUnconfirmedSession } from "../billing/confirm.server.ts";
import { ConfirmingNotice } from "../billing/confirming-notice.tsx";
import { setPaidCookie, takePaidCookie } from "../billing/paid-cookie.server.ts";
import { CurrentPlan, EndedPlan } from "../billing/plan/current-plan.tsx";
import { PaymentsSection } from "../billing/plan/payments-section.tsx";
import { handlePlanAction } from "../billing/plan/plan-action.server.ts";
import { PlanNotice } from "../billing/plan/plan-notice.tsx";
import { readPlanAndPayments } from "../billing/plan/plan-overview.server.ts";
import { FailureNotice, failureResponse } from "../billing/plan/plan-page.tsx";
import { syncAfterPortal } from "../billing/plan/portal.server.ts";
import { isOver } from "../billing/plan/rules.ts";
import { ADMIN_HAS_NO_PLAN } from "../billing/plans.ts";
import { isForever } from "../entitlements/expiry.ts";
import { type FeatureStates, useFeatures } from "../entitlements/features.ts";
import { readAccess } from "../entitlements/subscription.server.ts";
import { SubscriptionFacts } from "../entitlements/subscription-facts.tsx";
import { FEATURE_NAMES, type Feature } from "../entitlements/tiers.ts";
import { WaitingGrants } from "../entitlements/waiting-grants-list.tsx";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { ButtonLink, SubmitButton } from "../ui/button.tsx";
import { FormattedEnd } from "../ui/formatted-date.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { pageMeta } from "../ui/page-meta.ts";
import { PostForm } from "../ui/post-form.tsx";
import { sendPress } from "../ui/send-form.ts";
import { useRoot, useSite } from "../ui/site.ts";
import type { Route } from "./+types/dashboard.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Dashboard", "Your plan and what’s coming.");

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader({ request, context }: Route.LoaderArgs) {
  const user = await requireUser({ request, context });
  const { app, state } = fromContext(context);
  const query = new URL(request.url).searchParams;
  const sessionId = query.get("session_id") ?? (await findUnconfirmedSession(app.db, user.id));
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
    secondsWaited: payment?.outcome === "waiting" ? payment.secondsWaited : null,
    isJustPaid: hasPaid && subscription?.source === "paid",
  };
}

/** The buttons of the dashboard: keeping the plan, and Stripe's pages for cards and the billing address. */
export async function action(args: Route.ActionArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  const pressed = await handlePlanAction(app, user.id, await readForm(args.request));
  if (!pressed) throw data(null, { status: 400 });
  if (!pressed.ok) return data(...failureResponse(pressed));
  throw redirectDocument(pressed.url, 303);
}

export const clientAction = sendPress;

export default function Dashboard({ loaderData, actionData }: Route.ComponentProps) {
  const { welcomeName, unverified, isAdmin, subscription, waiting, paid } = loaderData;
  const { secondsWaited, isJustPaid } = loaderData;
  const { isSelling } = useRoot();
  const features = useFeatures();
  const paidPlan = paid && !isOver(paid.plan.status) ? paid.plan : null;
  return (
    <div className="page grid gap-10 py-10">
      <h1>Welcome, {welcomeName}</h1>
      <FailureNotice answer={actionData} />
      {isJustPaid && (
        <Notice tone="good">
          Payment received, thank you. Your plan is active, and each feature opens here when it’s ready.
        </Notice>
      )}
      {paidPlan && <PlanNotice plan={paidPlan} />}
      {unverified && <UnverifiedNotice email={unverified} />}
      <div className="dashboard">
        <section className="part" aria-labelledby="subscription">
          <h2 id="subscription">Your subscription</h2>
          {secondsWaited !== null && <ConfirmingNotice secondsWaited={secondsWaited} />}
          {paidPlan && <CurrentPlan plan={paidPlan} />}
          {subscription && <SubscriptionFacts subscription={subscription} states={features} />}
          <WaitingGrants grants={waiting} />
          {subscription && subscription.source !== "paid" && (
            <WhatFollowsThePromo
              isPaying={paidPlan !== null}
              canChoose={!isAdmin && isSelling}
              expiresAt={subscription.expiresAt}
            />
          )}
          {paid && !paidPlan && <EndedPlan plan={paid.plan} invoices={paid.invoices} />}
          {!subscription && !paidPlan && secondsWaited === null && <NoSubscription isAdmin={isAdmin} />}
        </section>
        <ComingSoon features={features} />
      </div>
      {paid && <PaymentsSection {...paid} />}
      <SignOut />
    </div>
  );
}

interface WhatFollowsProps {
  isPaying: boolean;
  /** Whether the plan page is open to them. */
  canChoose: boolean;
  expiresAt: Date;
}

function WhatFollowsThePromo({ isPaying, canChoose, expiresAt }: WhatFollowsProps) {
  const isEndless = isForever(expiresAt, useRoot().year);
  if (isPaying) {
    const code = isEndless ? "Your code is free." : "Your code is free and simply ends.";
    return <p>{`${code} The plan you pay for continues, and so do its payments.`}</p>;
  }
  if (isEndless) return <p>Free, with no end date.</p>;
  return (
    <p>
      Free until <FormattedEnd instant={expiresAt} />, then it simply ends.{" "}
      {canChoose && (
        <>
          <PageLink href="/subscription">Choose a plan</PageLink> to continue.
        </>
      )}
    </p>
  );
}

/** Admins are not asked to subscribe: the plan page redirects them back here (spec §6). */
function NoSubscription({ isAdmin }: { isAdmin: boolean }) {
  const { product } = useSite();
  if (isAdmin) return <p>{ADMIN_HAS_NO_PLAN}</p>;
  return (
    <>
      <p>{`No active subscription found. Please subscribe to access ${product} features.`}</p>
      <div>
        <ButtonLink href="/subscription">Subscribe Now</ButtonLink>
      </div>
    </>
  );
}

function SignOut() {
  return (
    <PostForm action="/logout">
      <SubmitButton isQuiet pendingLabel="Signing out…">
        Sign Out
      </SubmitButton>
    </PostForm>
  );
}

const WHAT_IT_DOES: Record<Feature, string> = {
  csv_processing: "upload your bank’s file and see it in your own words.",
  banking_api: "transactions come in automatically.",
};

/** The dashboard's list of features being built (spec §2), and of those that have opened. */
function ComingSoon({ features }: { features: FeatureStates }) {
  const keys = Object.keys(WHAT_IT_DOES) as Feature[];
  const open = keys.filter((key) => features[key].isOpen);
  const closed = keys.filter((key) => !features[key].isOpen);
  return (
    <section className="part" aria-labelledby={open.length > 0 ? "open-now" : "coming-soon"}>
      {open.length > 0 && (
        <>
          <h2 id="open-now">Open now</h2>
          <FeatureList keys={open} />
        </>
      )}
      {closed.length > 0 && (
        <>
          <h2 id="coming-soon" className={open.length > 0 ? "pt-4" : undefined}>
            Coming Soon
          </h2>
          <p>We’re building these during the beta. What your plan includes opens here when it’s ready.</p>
          <FeatureList keys={closed} />
        </>
      )}
    </section>
  );
}

function FeatureList({ keys }: { keys: readonly Feature[] }) {
  return (
    <ul className="list">
      {keys.map((key) => (
        <li key={key}>
          <strong>{FEATURE_NAMES[key]}</strong>: {WHAT_IT_DOES[key]}
        </li>
      ))}
    </ul>
  );
}
