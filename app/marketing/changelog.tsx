import { openness, useFeatures } from "../entitlements/features.ts";
import { FEATURE_NAMES, FEATURES } from "../entitlements/tiers.ts";
import { fromContext } from "../http/context.server.ts";
import { EntryDay, paragraphsOf } from "../news/entry.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { WAITLIST_OFFER } from "../ui/offer.ts";
import { StatementSheet } from "../ui/statement.tsx";
import type { Route } from "./+types/changelog.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/changelog");

export function loader({ context }: Route.LoaderArgs) {
  return { entries: fromContext(context).app.changelog.current() };
}

export default function Changelog({ loaderData: { entries } }: Route.ComponentProps) {
  return (
    <div className="page py-10 md:py-16 grid gap-10 md:grid-cols-[1.05fr_1fr] md:gap-16">
      <div className="grid gap-5 content-start">
        <h1>What we’re building</h1>
        {entries.length === 0 && <BeforeTheFirst />}
        <p>
          Follow the news in <a href="/changelog/feed.xml">a feed reader</a>, or by email: turn on product
          news in your <a href="/account">account</a>. Longer stories are on the <a href="/blog">Blog</a>.
        </p>
        {entries.map((entry) => (
          <article key={entry.id} id={entry.id} className="grid gap-3 pt-4">
            <h2>{entry.title}</h2>
            <EntryDay {...entry} />
            {paragraphsOf(entry.body).map((text) => (
              <p key={text}>{text}</p>
            ))}
          </article>
        ))}
      </div>
      <div className="sticky top-4 self-start">
        <WhereThingsStand />
      </div>
    </div>
  );
}

const LEAD = {
  none: "CSV Processing and the Banking API come first. Everything else builds on them.",
  some: "One of the two features that all the others build on is open.",
  all: "The two features that all the others build on are open.",
};

function BeforeTheFirst() {
  const state = openness(useFeatures());
  return (
    <>
      <p className="lead">{LEAD[state]}</p>
      <p>
        We’ll post here each time a feature opens: what it does and how to use it.
        {state !== "all" && " There’s no date yet."}
      </p>
      <p>{WAITLIST_OFFER}</p>
      <p>
        <ButtonLink href="/waitlist">Join Waitlist</ButtonLink>
      </p>
    </>
  );
}

const WHAT_IT_DOES = {
  csv_processing: "Your bank’s files, sorted by your words",
  banking_api: "Transactions come in automatically",
};

function WhereThingsStand() {
  const features = useFeatures();
  return (
    <StatementSheet caption="Where things stand">
      <Part name="Accounts" does="Keep the categories you made on the sample" isOpen />
      {FEATURES.map((feature) => (
        <Part
          key={feature}
          name={FEATURE_NAMES[feature]}
          does={WHAT_IT_DOES[feature]}
          isOpen={features[feature].isOpen}
        />
      ))}
    </StatementSheet>
  );
}

function Part({ name, does, isOpen }: { name: string; does: string; isOpen: boolean }) {
  return (
    <li className="statement-line">
      <p className="col-span-full flex flex-wrap items-center justify-between gap-x-4">
        <strong>{name}</strong>
        <span className="label" data-blank={!isOpen || undefined}>
          {isOpen ? "Open" : "Being built"}
        </span>
      </p>
      <p className="col-span-full">{does}</p>
    </li>
  );
}
