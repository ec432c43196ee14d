import type { ReactNode } from "react";
import { data } from "react-router";
import { loadPlans } from "../billing/catalogue.server.ts";
import { PriceLine } from "../billing/plan-terms.tsx";
import { BILLING_MESSAGES, chargedAmount, formatMoney, monthlyAmount, type Plan } from "../billing/plans.ts";
import { openness, promisesOf, useFeatures } from "../entitlements/features.ts";
import { fromContext } from "../http/context.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import { useSite } from "../ui/site.ts";
import { Statement } from "../ui/statement.tsx";
import { type WaitlistMode, waitlistMode } from "../waitlist/join.server.ts";
import { Waitlist, WaitlistIntro } from "../waitlist/waitlist.tsx";
import { WaitlistForm } from "../waitlist/waitlist-form.tsx";
import type { Route } from "./+types/home.ts";
import { FaqList } from "./faq/faq-list.tsx";
import { FEATURE_LIST } from "./feature-list.tsx";
import { ProductScreen } from "./product-screen.tsx";
import { organization, softwareApplication, webSite } from "./seo/json-ld.ts";
import { publicMeta } from "./seo/public-meta.ts";
import { headlineOf, LABEL_LENGTH } from "./seo/share-picture.ts";
import { TrustBand } from "./trust-band.tsx";
import { tryItFromQuery } from "./try-it/from-query.ts";
import { TryIt } from "./try-it/try-it.tsx";

export const meta: Route.MetaFunction = ({ matches, loaderData }) =>
  publicMeta(matches, "/", (site) => [
    organization(site),
    webSite(site),
    softwareApplication(site, loaderData?.plans ?? []),
  ]);

export const handle: RouteHandle = { hasWaitlist: true, inlineScript: "try-it" };

export async function loader({ request, context }: Route.LoaderArgs) {
  const { app, state } = fromContext(context);
  const plans = await loadPlans({ app, state });
  const tryItResult = tryItFromQuery(new URL(request.url).searchParams);
  return data({ plans, waitlist: waitlistMode(app), tryItResult }, plans ? 200 : 503);
}

export default function Home({ loaderData: { plans, waitlist, tryItResult } }: Route.ComponentProps) {
  const isNothingOpen = openness(useFeatures()) === "none";
  return (
    <>
      <Hero waitlist={waitlist} />
      <section className="page band" aria-labelledby="promises">
        <h2 id="promises">What you’ll be able to do</h2>
        {isNothingOpen && <p>All of it is still being built. Here is a month as the app will show it.</p>}
        <div className="grid gap-10 md:grid-cols-[1.1fr_1fr] md:gap-16 items-start">
          <ProductScreen />
          <div className="grid gap-6">
            {FEATURE_LIST.map(({ id, title, summary }) => (
              <div key={id} className="grid gap-1.5">
                <h3>{title}</h3>
                <p>{summary}</p>
              </div>
            ))}
            <p>
              <a href="/features">See each feature in full</a>
            </p>
          </div>
        </div>
      </section>
      <div className="page">
        <TryIt result={tryItResult} />
      </div>
      <section className="page band" aria-labelledby="pricing">
        <h2 id="pricing">What it costs</h2>
        <PlanLedger plans={plans} />
        <div id="waitlist" className="entry">
          <div className="grid gap-4 content-start">
            <h3 id="waitlist-title">Join the beta waitlist</h3>
            <WaitlistIntro mode={waitlist} isCompact />
          </div>
          <Waitlist mode={waitlist} idPrefix="home" isCompact />
        </div>
      </section>
      <TrustBand hasWidget={waitlist.kind === "widget"} />
      <section className="page band" aria-labelledby="faq">
        <h2 id="faq">Questions before you start</h2>
        <div className="measure">
          <FaqList isShort />
        </div>
      </section>
    </>
  );
}

function Hero({ waitlist }: { waitlist: WaitlistMode }) {
  const { headline, tagline } = useSite();
  const { text, label } = headlineOf(headline);
  return (
    <section className="page grid gap-10 md:grid-cols-[1.05fr_1fr] md:gap-16 items-start py-10 md:py-16">
      <div className="grid gap-5 justify-items-start">
        <h1>
          {text}{" "}
          <span className={`label headline-label${label.length > LABEL_LENGTH ? " whitespace-normal" : ""}`}>
            {label}
          </span>
        </h1>
        <p className="lead">{tagline}</p>
        <p className="measure">
          Add the words your bank prints, and every matching transaction is labeled from then on.
        </p>
        {waitlist.kind === "form" ? (
          <WaitlistForm idPrefix="hero" isCompact />
        ) : (
          <ButtonLink href="#waitlist">Join Waitlist</ButtonLink>
        )}
        <p className="flex flex-wrap gap-4 items-center">
          <ButtonLink href="#try-it" isQuiet>
            Try it on a sample statement
          </ButtonLink>
          <a href="/why-different">Why We're Different</a>
        </p>
        <p>Still in beta, phase 1. The sample needs no account.</p>
      </div>
      <Statement />
    </section>
  );
}

/** @param props.plans `null`: could not be loaded */
function PlanLedger({ plans }: { plans: Plan[] | null }) {
  const { storeUrl } = useSite();
  const features = useFeatures();
  return (
    <>
      {!plans && <Notice tone="bad">{BILLING_MESSAGES.plansFailed}</Notice>}
      {plans?.length === 0 && <Notice tone="plain">{BILLING_MESSAGES.noPlans}</Notice>}
      <ul className="sheet">
        {plans?.map(({ id, name, description, prices }) => (
          <Line key={id} name={name} description={description}>
            <Prices prices={prices} />
          </Line>
        ))}
        <Line name="Desktop app" description="No subscription.">
          <p>
            <PriceLine>Pay once</PriceLine>A lifetime license, {storeUrl ? "from " : "not on sale yet"}
            {storeUrl && <a href={storeUrl}>our partner store</a>}
          </p>
        </Line>
      </ul>
      {plans && plans.length > 0 && (
        <ul className="list gap-x-6 md:grid-cols-3">
          {promisesOf(null, features).map((promise) => (
            <li key={promise}>{promise}</li>
          ))}
        </ul>
      )}
      <p>
        <a href="/pricing">See what each plan includes</a>
      </p>
    </>
  );
}

function Prices({ prices }: Pick<Plan, "prices">) {
  const [first, other] = prices.toSorted((a, b) => b.interval.localeCompare(a.interval));
  const { plusTax } = useSite();
  if (!first) return null;
  return (
    <p>
      <PriceLine>{chargedAmount(first)}</PriceLine>
      {first.interval === "year" &&
        `${formatMoney(monthlyAmount(first), first.currency)} a month, billed yearly`}
      {other && `, or ${formatMoney(other.unitAmount, other.currency)} billed monthly`}
      {plusTax || null}
    </p>
  );
}

function Line(props: { name: string; description: string | null; children: ReactNode }) {
  const { name, description, children } = props;
  return (
    <li className="grid gap-x-8 gap-y-2 py-5 first:pt-0 not-first:border-t border-dashed border-rule items-baseline md:grid-cols-[1.2fr_1fr]">
      <div>
        <h3>{name}</h3>
        <p className="text-quiet">{description}</p>
      </div>
      <div className="amount whitespace-normal">{children}</div>
    </li>
  );
}
