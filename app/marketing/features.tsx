import { ButtonLink } from "../ui/button.tsx";
import { useSite } from "../ui/site.ts";
import type { Route } from "./+types/features.ts";
import { FEATURE_LIST, type FeatureListItem, FeatureTitle } from "./feature-list.tsx";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/features");

export default function Features() {
  const { product } = useSite();
  return (
    <div className="page py-10 md:py-16">
      <div className="grid gap-5 pb-10">
        <h1>Features</h1>
        <p className="lead">
          {`Everything in ${product} stands on three things you make yourself: spending categories, income sources, and the keywords that lead a bank’s line to one of them.`}
        </p>
        <p className="measure">
          It is in beta, phase 1. CSV Processing and the Banking API, which bring your lines in, are coming.
          There is no mobile app yet. What follows is what the app is for; <a href="/pricing">pricing</a> says
          what each plan includes.
        </p>
      </div>
      <section className="band" aria-labelledby="words">
        <h2 id="words">The words come first</h2>
        <dl className="grid gap-8 md:grid-cols-3">
          <Term term="Spending categories" example="Sunday shop">
            As many as you need and no more. Twelve is plenty to start with. Rename one and its whole past
            follows.
          </Term>
          <Term term="Income sources" example="Wardrobe money">
            Not one pot called “Income”: the job, the lodger, the things you sell. You see what each one
            brings in.
          </Term>
          <Term term="Keywords" example="tesco → Sunday shop">
            One or more whole words of the bank’s own text, linked to yours. The longest one wins, so “tesco
            pfs” can go elsewhere than “tesco”.
          </Term>
        </dl>
        <p className="measure">
          A line no keyword fits is not guessed at. It waits as “yours to name”, and naming it takes one
          keyword. <a href="/why-different#try-it">Try it on a statement</a>.
        </p>
      </section>
      {FEATURE_LIST.map((feature) => (
        <FeatureSection key={feature.id} feature={feature} />
      ))}
      <section className="band" aria-labelledby="next">
        <h2 id="next">When can I use it?</h2>
        <p className="measure">
          Accounts and plans are open to everyone, and each part opens in them when it is ready. The waitlist
          is the free way in: people on it are invited in order, as parts open.
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

function Term({ term, example, children }: { term: string; example: string; children: string }) {
  return (
    <div>
      <dt className="grid gap-2 justify-items-start pb-2">
        <span className="label text-[0.9375rem]">{example}</span>
        <span className="font-semibold">{term}</span>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function FeatureSection({ feature }: { feature: FeatureListItem }) {
  return (
    <section className="entry" id={feature.id}>
      <div className="grid gap-4 content-start">
        <FeatureTitle feature={feature} level={2} />
        {feature.details.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
        {feature.notYet && <p className="text-quiet">{feature.notYet}</p>}
      </div>
      {feature.example}
    </section>
  );
}
