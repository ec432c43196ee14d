import type { ReactNode } from "react";
import { openness, useFeatures } from "../entitlements/features.ts";
import { stateOfTheApp } from "../entitlements/state-of-the-app.ts";
import { ButtonLink } from "../ui/button.tsx";
import { WAITLIST_OFFER } from "../ui/offer.ts";
import { useRoot } from "../ui/site.ts";
import type { Route } from "./+types/features.ts";
import { FEATURE_LIST, type FeatureListItem } from "./feature-list.tsx";
import { ProductScreen } from "./product-screen.tsx";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/features");

const NOTHING_YET =
  ": everything here is still being built. CSV Processing (your bank’s file) and the Banking API (a connection to your bank) come first.";

const WHEN = {
  none: "There’s no date yet. You can open an account or buy a plan today. Each feature appears in your account as it launches.",
  noneOnSale:
    "There’s no date yet. You can open an account today. Each feature appears in your account as it launches.",
  some: "What’s open works in every account whose plan includes it. The rest appears there as it launches. There’s no date for it yet.",
  all: "Now, in every account whose plan includes it.",
};

export default function Features() {
  const { site, isSelling } = useRoot();
  const { product } = site;
  const features = useFeatures();
  return (
    <div className="page py-10 md:py-16">
      <div className="grid gap-10 md:grid-cols-[1.05fr_1fr] md:gap-16 items-start pb-12">
        <div className="grid gap-5">
          <h1>
            Budgets, trends and goals in <span className="label headline-label">your own words</span>
          </h1>
          <p className="lead">
            {`${product} is built on three things you create: spending categories, income sources, and the keywords that match a bank line to one of them.`}
          </p>
          <p>
            Beta, phase 1{openness(features) === "none" ? NOTHING_YET : `. ${stateOfTheApp(features)}`} See
            what each plan includes on <a href="/pricing">Pricing</a>.
          </p>
          <p className="flex flex-wrap gap-4 items-center">
            <ButtonLink href="/waitlist">Join Waitlist</ButtonLink>
            <a href="/#try-it">Try it on a sample statement</a>
          </p>
        </div>
        <ProductScreen />
      </div>
      <section className="band" aria-labelledby="words">
        <h2 id="words">Start with your own words</h2>
        <dl className="grid gap-8 md:grid-cols-3">
          <Term term="Spending categories">
            As many as you need and no more. Twelve is plenty to start with. Rename one, and every past
            transaction takes the new name.
          </Term>
          <Term term="Income sources">
            Not one lump of “Income”: your job, your tenant and your side sales, each on its own line.
          </Term>
          <Term term="Keywords">
            One or more whole words from the bank’s own text, linked to your category. The longest one wins,
            so <code>costco gas</code> can go somewhere other than <code>costco</code>.
          </Term>
        </dl>
        <p className="measure">
          We never guess. A line without a matching keyword shows “needs a name” until you add one.
        </p>
      </section>
      {FEATURE_LIST.map((feature) => (
        <FeatureSection key={feature.id} feature={feature} />
      ))}
      <section className="band" aria-labelledby="next">
        <h2 id="next">When can I use it?</h2>
        <p className="measure">
          {WHEN[openness(features) === "none" && !isSelling ? "noneOnSale" : openness(features)]}{" "}
          {WAITLIST_OFFER}
        </p>
        <div className="flex flex-wrap gap-4">
          <ButtonLink href="/waitlist">Join Waitlist</ButtonLink>
          <ButtonLink href="/pricing" isQuiet>
            See the plans
          </ButtonLink>
        </div>
      </section>
    </div>
  );
}

function Term({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt className="font-semibold pb-1">{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function FeatureSection({ feature }: { feature: FeatureListItem }) {
  return (
    <section className="entry" id={feature.id}>
      <div className="grid gap-4 content-start">
        <h2>{feature.title}</h2>
        {feature.details.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </div>
      {feature.example}
    </section>
  );
}
