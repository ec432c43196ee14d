import { data } from "react-router";
import { loadPlans } from "../billing/catalogue.server.ts";
import { choiceIn, choiceQuery, signUpLink } from "../billing/choice.ts";
import { BillingToggle } from "../billing/plan-terms.tsx";
import { openness, promisesOf, useFeatures } from "../entitlements/features.ts";
import { fromContext } from "../http/context.server.ts";
import { answerAboutLink } from "../promo/check.server.ts";
import { isKnownInvalid } from "../promo/promo-answer.ts";
import type { RouteHandle } from "../ui/route-handle.ts";
import { useRoot } from "../ui/site.ts";
import { waitlistMode } from "../waitlist/join.server.ts";
import { WaitlistSection } from "../waitlist/waitlist.tsx";
import type { Route } from "./+types/pricing.ts";
import { PlanCards } from "./plan-cards.tsx";
import { CheckCodeForm, PromoCodeNotice } from "./promo-code.tsx";
import { softwareApplication } from "./seo/json-ld.ts";
import { publicMeta } from "./seo/public-meta.ts";
import { TrustBand } from "./trust-band.tsx";

export const meta: Route.MetaFunction = ({ matches, loaderData }) =>
  publicMeta(matches, "/pricing", (site) => [softwareApplication(site, loaderData?.plans ?? [])]);

export const handle: RouteHandle = { hasWaitlist: true };

export async function loader({ request, context }: Route.LoaderArgs) {
  const { app, state } = fromContext(context);
  const { billing, promo } = choiceIn(new URL(request.url).search);
  const [plans, code] = await Promise.all([
    loadPlans({ app, state }),
    answerAboutLink(app, state, null, promo),
  ]);
  return data({ plans, waitlist: waitlistMode(app), billing, promo, code }, plans ? 200 : 503);
}

/** By the number of the plans' open features; each continues in a link. */
const LEAD = {
  none: "Nothing here is live yet. Buy early and get each feature at launch, or",
  some: "Some features are live and the others are still being built. Buy now and get each one at launch, or",
  all: "Every feature of both plans is live. Buy a plan, or",
};

const LEAD_WITHOUT_PLANS = "You can";

export default function Pricing({ loaderData }: Route.ComponentProps) {
  const { plans, waitlist, billing, code } = loaderData;
  const { site, hasSession } = useRoot();
  const isSelling = plans !== null && plans.length > 0;
  const promo = isKnownInvalid(code) ? null : loaderData.promo;
  const features = useFeatures();
  return (
    <>
      <div className="billing page grid gap-5 py-6 md:py-10">
        <div className="flex flex-wrap gap-x-8 gap-y-5 items-end justify-between">
          <div className="grid gap-3">
            <h1>Pricing</h1>
            <p className="measure">
              {isSelling ? LEAD[openness(features)] : LEAD_WITHOUT_PLANS}{" "}
              <a href="#waitlist">join the waitlist</a> for free.
            </p>
          </div>
          <BillingToggle plans={plans ?? []} billing={billing} />
        </div>
        {isSelling && (
          <ul className="list">
            {promisesOf(null, features).map((promise) => (
              <li key={promise}>{promise}</li>
            ))}
          </ul>
        )}
        {code && loaderData.promo && <PromoCodeNotice code={loaderData.promo} answer={code} />}
        <PlanCards plans={plans} promo={promo} />
        <div className="measure grid gap-3 pt-3">
          <p>
            A plan renews until you cancel. Cancel any time on your dashboard. You keep the plan until the end
            of the period you’ve paid for. <a href="/terms#refunds">How refunds work</a>
          </p>
          <p>
            With a promo code you get a plan free for a limited time, no card needed.{" "}
            <a href={signUpLink(site.hostedAppUrl, { promo })}>
              {hasSession ? "Go to your plan" : "Sign up"}
            </a>
            , then enter it. Not sure what your code does? Check it:
          </p>
          <CheckCodeForm code={loaderData.promo} billing={choiceQuery({ billing }).get("billing")} />
        </div>
      </div>
      <TrustBand hasWidget={waitlist.kind === "widget"} />
      <WaitlistSection mode={waitlist} idPrefix="pricing" />
      <section className="page band" aria-labelledby="business">
        <h2 id="business">For a business</h2>
        <p className="measure">
          Advising clients, running a club or handling company cards? Tell us what you need and we’ll tell you
          whether we can help. <a href="/contact?topic=business">Ask for a custom business solution</a>
        </p>
      </section>
    </>
  );
}
