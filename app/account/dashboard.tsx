import { useEffect } from "react";
import { Form, redirect, useNavigation, useRevalidator } from "react-router";
import { confirmPayment } from "../billing/confirm.server.ts";
import { SubscriptionOnHold } from "../billing/subscription-on-hold.tsx";
import { findOpenSubscription } from "../billing/sync.server.ts";
import { fromContext } from "../context.server.ts";
import { currentSubscription } from "../entitlements/subscription.server.ts";
import { SubscriptionFacts } from "../entitlements/subscription-facts.tsx";
import { FEATURE_NAMES } from "../entitlements/tiers.ts";
import { pageMeta } from "../marketing/title.ts";
import { useSite } from "../site.ts";
import { ButtonLink, SubmitButton } from "../ui/button.tsx";
import { NoScriptRefresh } from "../ui/no-script-refresh.tsx";
import { Notice } from "../ui/notice.tsx";
import type { Route } from "./+types/dashboard.ts";
import { requireUser } from "./session.server.ts";

export const handle = { hydrate: true, isSignedIn: true };

export const meta: Route.MetaFunction = ({ matches }) => pageMeta(matches, "Dashboard", "What you have.");

export async function loader({ request, context }: Route.LoaderArgs) {
  const user = await requireUser({ request, context });
  const { app } = fromContext(context);
  const query = new URL(request.url).searchParams;

  const sessionId = query.get("session_id");
  const payment = sessionId ? await confirmPayment(app, user.id, sessionId) : null;
  if (payment === "confirmed") throw redirect("/dashboard?paid=1");
  if (payment === "nothing") throw redirect("/dashboard");
  if (payment === "unpaid") throw redirect("/subscription");

  const subscription = await currentSubscription(app.db, user.id);
  return {
    welcomeName: user.name || user.email,
    subscription,
    isOnHold: !subscription && (await findOpenSubscription(app.db, user.id)) !== null,
    isConfirming: payment === "waiting",
    isJustPaid: query.has("paid"),
    hasSignOutFailed: query.get("sign_out") === "failed",
  };
}

export default function Dashboard({ loaderData }: Route.ComponentProps) {
  const { welcomeName, subscription, isOnHold, isConfirming, isJustPaid, hasSignOutFailed } = loaderData;
  return (
    <div className="page grid gap-10 py-10 md:py-16">
      <h1 className="[overflow-wrap:anywhere]">Welcome, {welcomeName}</h1>
      {hasSignOutFailed && (
        <Notice tone="bad">Failed to sign out. You are still signed in; try again in a moment.</Notice>
      )}
      {isConfirming && <Confirming />}
      {isJustPaid && subscription && (
        <Notice tone="good">Payment received. Thank you; your plan is active.</Notice>
      )}
      <div className="grid gap-10 md:grid-cols-[1.4fr_1fr] md:gap-16 items-start">
        <section className="grid gap-5 border-t-2 border-ink pt-5" aria-labelledby="subscription">
          <h2 id="subscription">Your subscription</h2>
          {subscription && <SubscriptionFacts subscription={subscription} />}
          {subscription && subscription.source !== "paid" && <AfterThePromo />}
          {isOnHold && <SubscriptionOnHold />}
          {!subscription && !isOnHold && !isConfirming && <NoSubscription />}
        </section>
        <ComingSoon />
      </div>
      <SignOut />
    </div>
  );
}

/** Shown until the payment is known here; looks again by itself, with or without JavaScript. */
function Confirming() {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    const timer = setInterval(revalidate, 2000);
    return () => clearInterval(timer);
  }, [revalidate]);
  return (
    <Notice tone="plain">
      <NoScriptRefresh seconds={3} />
      <p className="font-semibold">Confirming your payment…</p>
      <p>This page looks again by itself. You can leave it: what you paid for arrives all the same.</p>
    </Notice>
  );
}

function NoSubscription() {
  const { product } = useSite();
  return (
    <>
      <p>{`No active subscription found. Please subscribe to access ${product} features.`}</p>
      <div>
        <ButtonLink href="/subscription">Subscribe Now</ButtonLink>
      </div>
    </>
  );
}

function AfterThePromo() {
  return (
    <p>
      It ends by itself and charges nothing. <a href="/subscription">Choose a plan</a> to keep it.
    </p>
  );
}

function ComingSoon() {
  return (
    <section className="grid gap-5 border-t-2 border-ink pt-5" aria-labelledby="coming-soon">
      <h2 id="coming-soon">Coming Soon</h2>
      <p>We are building these in the beta. What your plan includes opens here as it arrives.</p>
      <ul className="label-list">
        <li>
          <strong>{FEATURE_NAMES.csv_processing}</strong>: hand us your bank's file, get it back in your own
          words.
        </li>
        <li>
          <strong>{FEATURE_NAMES.banking_api}</strong>: lines arrive from your bank by themselves.
        </li>
      </ul>
    </section>
  );
}

function SignOut() {
  const navigation = useNavigation();
  return (
    <Form method="post" action="/logout" reloadDocument>
      <SubmitButton isQuiet isPending={navigation.formAction === "/logout"} pendingLabel="Signing out…">
        Sign Out
      </SubmitButton>
    </Form>
  );
}
