import { data } from "react-router";
import { loadPlans } from "../billing/catalogue.server.ts";
import { choiceIn, choiceQuery, signUpLink } from "../billing/choice.ts";
import { BillingToggle } from "../billing/plan-terms.tsx";
import { openness, promisesOf, useFeatures } from "../entitlements/features.ts";
import { fromContext } from "../http/context.server.ts";
import { answerAboutLink } from "../promo/check.server.ts";
import { type CodeAnswer, isKnownInvalid, termsOfCode } from "../promo/promo-answer.ts";
import { PROMO_INPUT_MAX_LENGTH, PROMO_MESSAGES } from "../promo/rules.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import { useRoot } from "../ui/site.ts";
import { waitlistMode } from "../waitlist/join.server.ts";
import { WaitlistSection } from "../waitlist/waitlist.tsx";
import type { Route } from "./+types/pricing.ts";
import { PlanCards } from "./plan-cards.tsx";
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
  none: "The web plans aren’t live yet. Buy early and get each feature at launch, or",
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
      <div className="billing page grid gap-5 py-10 md:py-16">
        <h1>Pricing</h1>
        <p className="lead">
          {isSelling ? LEAD[openness(features)] : LEAD_WITHOUT_PLANS}{" "}
          <a href="#waitlist">join the waitlist</a> for free.
        </p>
        {code && loaderData.promo && <PromoCodeNotice code={loaderData.promo} answer={code} />}
        <BillingToggle plans={plans ?? []} billing={billing} />
        <PlanCards plans={plans} promo={promo} />
        {isSelling && (
          <div className="grid gap-2">
            <p className="font-semibold">{`With both web plans, in ${site.currency}:`}</p>
            <ul className="list gap-x-6 min-[64rem]:grid-cols-3">
              {promisesOf(null, features).map((promise) => (
                <li key={promise}>{promise}</li>
              ))}
            </ul>
          </div>
        )}
        <div className="grid gap-8 pt-4 md:grid-cols-2 md:gap-16">
          <div className="grid gap-3 content-start">
            <h2 className="text-[1.5rem]">Cancel any time</h2>
            <p>
              A plan renews until you cancel it on your dashboard. You keep it until the end of the period
              you’ve paid for. <a href="/terms#refunds">How refunds work</a>
            </p>
          </div>
          <div className="grid gap-3 content-start">
            <h2 className="text-[1.5rem]">Have a promo code?</h2>
            <p>
              A code gives you a plan free for a limited time, no card needed. Check yours here, or{" "}
              <a href={signUpLink(site.hostedAppUrl, { promo })}>
                {hasSession ? "go to your plan" : "sign up"} and enter it
              </a>
              .
            </p>
            <CheckCodeForm code={loaderData.promo} billing={choiceQuery({ billing }).get("billing")} />
          </div>
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

function PromoCodeNotice({ code, answer }: { code: string; answer: CodeAnswer }) {
  const { site, hasSession } = useRoot();
  const shown = (
    <strong className="[overflow-wrap:anywhere]">
      <bdi>{code}</bdi>
    </strong>
  );
  if (isKnownInvalid(answer)) {
    return (
      <Notice tone="bad">
        <p className="font-semibold">{PROMO_MESSAGES.invalid}</p>
        <p>
          We can’t take {shown}. Check the spelling, or <a href="#promo">try another code</a>.
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone="plain">
      <div className="grid gap-3 justify-items-start">
        {answer.checked ? (
          <p>
            Promo code {shown} is saved. It gives you {termsOfCode(answer.checked)}{" "}
            {hasSession ? "You apply it on your plan page." : "Apply it after signing up."} It isn’t a
            discount on the prices below.
          </p>
        ) : (
          <p>
            Promo code {shown}: {answer.message}
          </p>
        )}
        <ButtonLink href={signUpLink(site.hostedAppUrl, { promo: code })}>
          {hasSession ? "Use the code" : "Sign up and use the code"}
        </ButtonLink>
      </div>
    </Notice>
  );
}

/** Without an account and without using it. */
function CheckCodeForm({ code, billing }: { code: string | null; billing: string | null }) {
  return (
    <form action="/pricing" className="grid gap-1.5">
      {billing && <input type="hidden" name="billing" value={billing} />}
      <label htmlFor="promo" className="font-semibold">
        Promo code
      </label>
      <div className="flex flex-wrap gap-3">
        <input
          id="promo"
          name="promo"
          className="field-input max-w-[16rem]"
          defaultValue={code ?? ""}
          maxLength={PROMO_INPUT_MAX_LENGTH}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required
        />
        <button type="submit" className="button" data-quiet="">
          Check the code
        </button>
      </div>
    </form>
  );
}
