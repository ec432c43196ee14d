import { openness, stateOfTheApp, useFeatures } from "../entitlements/features.ts";
import { Amount } from "../ui/amount.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { WAITLIST_OFFER } from "../ui/offer.ts";
import { useRoot } from "../ui/site.ts";
import { StatementSheet } from "../ui/statement.tsx";
import type { Route } from "./+types/features.ts";
import { FEATURE_LIST, type FeatureListItem } from "./feature-list.tsx";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/features");

/** By the number of open features. */
const WHEN = {
  none: "There’s no date yet. You can open an account or buy a plan today, and each feature opens there when it’s ready.",
  noneOnSale:
    "There’s no date yet. You can open an account today, and each feature opens there when it’s ready.",
  some: "What is open works in every account whose plan includes it. The rest opens there when it’s ready. There’s no date for it yet.",
  all: "Today, in every account whose plan includes it.",
};

export default function Features() {
  const { site, isSelling } = useRoot();
  const { product } = site;
  const features = useFeatures();
  return (
    <div className="page py-10 md:py-16">
      <div className="grid gap-10 md:grid-cols-[1.05fr_1fr] md:gap-16 items-center pb-12">
        <div className="grid gap-5">
          <h1>
            Budgets, trends and goals in <span className="label headline-label">your own words</span>
          </h1>
          <p className="lead">
            {`${product} is built on three things you create: spending categories, income sources, and the keywords that match a bank line to one of them.`}
          </p>
          <p>
            Beta, phase 1. {stateOfTheApp(features)}
            {openness(features) === "none" && ` Here is what ${product} will do when it opens.`}{" "}
            <a href="/pricing">Pricing</a> lists what each plan includes.
          </p>
        </div>
        <CategoryTotals />
      </div>
      <section className="band" aria-labelledby="words">
        <h2 id="words">Start with your own words</h2>
        <dl className="grid gap-8 md:grid-cols-3">
          <Term term="Spending categories">
            As many as you need and no more. Twelve is plenty to start with. Rename one, and every past
            transaction takes the new name.
          </Term>
          <Term term="Income sources">
            Not one pot called “Income”, but the job, the tenant and the things you sell. You see what each
            one brings in.
          </Term>
          <Term term="Keywords">
            One or more whole words from the bank’s own text, linked to your category. The longest one wins,
            so “costco gas” can go somewhere other than “costco”.
          </Term>
        </dl>
        <p className="measure">
          We never guess. A line without a matching keyword waits as “yours to name” until you add one.{" "}
          <a href="/#try-it">Try it on a sample statement</a>.
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

/** A sample month, in a user's own categories and income sources. */
const TOTALS = [
  { label: "Day job", text: "hartley design", minorUnits: 428000 },
  { label: "Closet money", text: "poshmark", minorUnits: 6150 },
  { label: "Sunday shop", text: "kroger, costco", minorUnits: -61240 },
  { label: "Getting to work", text: "mta, costco gas", minorUnits: -14100 },
  { label: "Too much coffee", text: "sq *corner", minorUnits: -4360 },
];

function CategoryTotals() {
  return (
    <StatementSheet caption="November in your own words, with the keywords behind them">
      {TOTALS.map(({ label, text, minorUnits }) => (
        <li
          key={label}
          className="flex flex-wrap items-center gap-x-4 gap-y-2 py-3 border-t border-dashed border-rule"
        >
          <span className="label text-[0.9375rem] font-semibold">{label}</span>
          <span className="font-mono text-quiet text-[0.9375rem]">{text}</span>
          <span className="ml-auto">
            <Amount minorUnits={minorUnits} />
          </span>
        </li>
      ))}
    </StatementSheet>
  );
}

function Term({ term, children }: { term: string; children: string }) {
  return (
    <div>
      <dt className="font-semibold pb-1">{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The features for importing transactions that are not open yet. */
function NotYet() {
  const { csv_processing: file, banking_api: connection } = useFeatures();
  const closed = [
    !file.isOpen && "by file (CSV Processing)",
    !connection.isOpen && "by connection (Banking API)",
  ].filter(Boolean);
  if (closed.length === 0) return null;
  return (
    <p className="text-quiet">{`Not available yet${closed.length > 1 ? "," : ""} ${closed.join(" or ")}.`}</p>
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
        {feature.needsTransactions && <NotYet />}
      </div>
      {feature.example}
    </section>
  );
}
