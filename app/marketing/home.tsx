import { data } from "react-router";
import { loadPlans } from "../billing/catalogue.server.ts";
import { fromContext } from "../http/context.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import { useSite } from "../ui/site.ts";
import { Statement } from "../ui/statement.tsx";
import { WaitlistSection } from "../waitlist/waitlist.tsx";
import { waitlistMode } from "../waitlist/waitlist-mode.ts";
import type { Route } from "./+types/home.ts";
import { FaqList } from "./faq/faq-list.tsx";
import { FEATURE_LIST, type FeatureListItem, FeatureTitle } from "./feature-list.tsx";
import { PlanLedger } from "./plan-ledger.tsx";
import { organization, softwareApplication, webSite } from "./seo/json-ld.ts";
import { publicMeta } from "./seo/public-meta.ts";
import { headlineOf, LABEL_LENGTH } from "./seo/share-picture.ts";

export const meta: Route.MetaFunction = ({ matches, loaderData }) =>
  publicMeta(matches, "/", (site) => [
    organization(site),
    webSite(site),
    softwareApplication(site, loaderData?.plans ?? []),
  ]);

export const handle: RouteHandle = { hasWaitlist: true };

export async function loader({ context }: Route.LoaderArgs) {
  const { app, state } = fromContext(context);
  const plans = await loadPlans({ app, state });
  return data({ plans, waitlist: waitlistMode(app) }, plans ? 200 : 503);
}

export default function Home({ loaderData: { plans, waitlist } }: Route.ComponentProps) {
  return (
    <>
      <Hero />
      <section className="page band" aria-labelledby="promises">
        <h2 id="promises">Five things it does with your words</h2>
        <ol>
          {FEATURE_LIST.map((feature) => (
            <FeatureSummary key={feature.id} feature={feature} />
          ))}
        </ol>
        <p>
          What each of them does in full, and what it does not do yet, is on{" "}
          <a href="/features">the features page</a>.
        </p>
      </section>
      <section className="page band" aria-labelledby="pricing">
        <h2 id="pricing">What it costs</h2>
        <PlanLedger plans={plans} />
      </section>
      <WaitlistSection mode={waitlist} idPrefix="home" />
      <section className="page band" aria-labelledby="faq">
        <h2 id="faq">What people ask first</h2>
        <div className="measure">
          <FaqList site={useSite()} headingLevel="h3" />
        </div>
      </section>
    </>
  );
}

function Hero() {
  const { product, tagline } = useSite();
  const { text, label } = headlineOf(tagline);
  return (
    <section className="page grid gap-10 md:grid-cols-[1.05fr_1fr] md:gap-16 items-center py-10 md:py-20">
      <div className="grid gap-6 justify-items-start">
        <h1>
          {text}{" "}
          <span className={`label headline-label${label.length > LABEL_LENGTH ? " whitespace-normal" : ""}`}>
            {label}
          </span>
        </h1>
        <p className="lead">
          {`Other finance apps label your money for you. ${product} is the first that makes you do it: name your spending categories and income sources once, link keywords to them, and it remembers.`}
        </p>
        <div className="flex flex-wrap gap-4">
          <ButtonLink href="#waitlist">Join Waitlist</ButtonLink>
          <ButtonLink href="/why-different" isQuiet>
            Why We're Different
          </ButtonLink>
        </div>
        <p className="text-quiet">
          In beta, phase 1. Want to see it work? <a href="/why-different#try-it">Try it on a statement</a>: no
          account, nothing to install.
        </p>
      </div>
      <Statement />
    </section>
  );
}

function FeatureSummary({ feature }: { feature: FeatureListItem }) {
  return (
    <li className="entry">
      <div className="grid gap-3 content-start">
        <FeatureTitle feature={feature} level={3} />
        <p>{feature.summary}</p>
        {feature.notYet && <p className="text-quiet">{feature.notYet}</p>}
      </div>
      {feature.example}
    </li>
  );
}
