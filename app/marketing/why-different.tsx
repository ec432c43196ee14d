import type { ReactNode } from "react";
import { openness, useFeatures } from "../entitlements/features.ts";
import { Amount } from "../ui/amount.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { WAITLIST_OFFER } from "../ui/offer.ts";
import type { RouteHandle } from "../ui/route-handle.ts";
import { SAMPLE_MONTH } from "../ui/sample-lines.ts";
import { useSite } from "../ui/site.ts";
import { StatementSheet } from "../ui/statement.tsx";
import type { Route } from "./+types/why-different.ts";
import { publicMeta } from "./seo/public-meta.ts";
import { tryItFromQuery } from "./try-it/from-query.ts";
import { TryIt } from "./try-it/try-it.tsx";

export const handle: RouteHandle = { inlineScript: "try-it" };

export const meta: Route.MetaFunction = ({ matches }) => publicMeta(matches, "/why-different");

export function loader({ request }: Route.LoaderArgs) {
  return { tryItResult: tryItFromQuery(new URL(request.url).searchParams) };
}

export default function WhyDifferent({ loaderData: { tryItResult } }: Route.ComponentProps) {
  const { product } = useSite();
  const isNothingOpen = openness(useFeatures()) === "none";
  return (
    <div className="page py-10 md:py-16">
      <div className="grid gap-10 md:grid-cols-[1.05fr_1fr] md:gap-16 items-start pb-12">
        <div className="grid gap-5">
          <h1>
            They guess. <span className="label headline-label">You name.</span>
          </h1>
          <p className="lead">
            Most finance apps look at a bank line and guess what it was. They know the store. They don’t know
            why you went.
          </p>
          <p>
            One store can be your groceries, your commute and new tires. A guess files all three under
            Groceries. You know better. Three keywords keep them apart.
          </p>
          <p>
            <ButtonLink href="/waitlist">Join Waitlist</ButtonLink>
          </p>
        </div>
        <Guesses />
      </div>

      <section className="band" aria-labelledby="how">
        <h2 id="how">You say it once</h2>
        <ol className="grid gap-8 md:grid-cols-3">
          <Step number={1} title="Name what you spend on, and where your money comes from">
            {`${product} starts empty. There is no list to choose from: you write your own spending categories and income sources, in the words you would say out loud.`}
          </Step>
          <Step number={2} title="Link keywords to them">
            A keyword is one or more whole words from the bank’s own text: <code>costco</code>,{" "}
            <code>costco gas</code>, <code>sq *corner</code>. One is enough for every line that contains it,
            past and future.
          </Step>
          <Step number={3} title="From then on, it remembers">
            A new line with your keyword gets your label. If two keywords match, the longer one wins. If none
            does, the line waits for you. We never guess.
          </Step>
        </ol>
      </section>

      <section className="band md:grid-cols-2 md:gap-x-16" aria-label="What it takes and what you get">
        <div className="grid gap-4 content-start">
          <h2>What it takes</h2>
          <p>
            About ten minutes on the first evening, with last month’s statement beside you. After that, a
            minute now and then when a new store turns up.
          </p>
          <p>
            It also takes an answer you may have been avoiding. Deciding what to call a purchase is deciding
            what it was for. That’s the point.
          </p>
        </div>
        <div className="grid gap-4 content-start">
          <h2>What you get</h2>
          <ul className="list">
            <li>Totals that mean something the moment you see them.</li>
            <li>The same answer every time: a rule you can see, not a model that changes its mind.</li>
            <li>Budgets, trends and goals about your own life, because they use your own words.</li>
            <li>No evenings spent correcting a stranger’s idea of you.</li>
          </ul>
        </div>
      </section>

      <section className="band" aria-labelledby="comparison">
        <h2 id="comparison">Side by side, fairly</h2>
        <Comparison />
      </section>

      <TryIt result={tryItResult} />

      <section className="band" aria-labelledby="next">
        <h2 id="next">Sounds like you?</h2>
        <p className="measure">
          {isNothingOpen ? `${product} is still being built. ${WAITLIST_OFFER}` : WAITLIST_OFFER}
        </p>
        <div className="flex flex-wrap gap-4">
          <ButtonLink href="/waitlist">Join Waitlist</ButtonLink>
          <ButtonLink href="/features" isQuiet>
            See the features
          </ButtonLink>
        </div>
      </section>
    </div>
  );
}

function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="grid gap-2 content-start">
      <h3>
        {number}. {title}
      </h3>
      <p>{children}</p>
    </li>
  );
}

const COSTCO_LINES = ["COSTCO WHSE", "COSTCO GAS", "COSTCO TIRE"].flatMap(
  (store) => SAMPLE_MONTH.find(({ text }) => text.startsWith(store)) ?? [],
);

function Guesses() {
  return (
    <StatementSheet caption="One store, three reasons">
      {COSTCO_LINES.map(({ text, minorUnits, label }, index) => (
        <li key={text} className={`statement-line line-${index}`}>
          <span className="font-mono">{text}</span>
          <Amount minorUnits={minorUnits} />
          <span className="col-span-full flex flex-wrap items-center gap-3 text-[0.9375rem]">
            <span className="sr-only">guessed:</span> <s className="text-quiet">Groceries</s>{" "}
            <span className="sr-only">yours:</span>
            <span className="label font-semibold">{label}</span>
          </span>
        </li>
      ))}
    </StatementSheet>
  );
}

/** Fair: it says so where guessing is better. */
const ROWS: { question: string; guessing: string; naming: string }[] = [
  {
    question: "The first evening",
    guessing: "Connect a bank and look. Nothing to set up.",
    naming: "About ten minutes of naming before you see anything.",
  },
  {
    question: "Whose words",
    guessing: "A list someone else made: Shopping, Entertainment, General. Most let you add to it.",
    naming: "Yours alone. “Mom’s birthday” is a category if you say so.",
  },
  {
    question: "A new store",
    guessing: "It gets a guess, which is often right.",
    naming: "It shows “needs a name” until you add a keyword.",
  },
  {
    question: "A wrong category",
    guessing: "You correct it. Some apps learn from that, some let you add a rule.",
    naming: "You change one keyword, and every line that contains it changes, old ones too.",
  },
  {
    question: "Why it was filed there",
    guessing: "Often hard to say.",
    naming: "Always clear: the longest matching keyword wins.",
  },
  {
    question: "Income",
    guessing: "Usually one lump.",
    naming: "Sources you name, in as much detail as you like.",
  },
  {
    question: "Best for",
    guessing: "A rough picture with no effort. If that’s all you want, use one of them.",
    naming: "Knowing what your money does, in the words you would say out loud.",
  },
];

function Comparison() {
  const { product } = useSite();
  return (
    <table className="w-full">
      <thead className="max-sm:hidden">
        <tr className="text-left">
          <td className="w-1/5" />
          <th className="w-2/5 pr-8 pb-3 font-semibold" scope="col">
            Apps that guess
          </th>
          <th className="w-2/5 pb-3 font-semibold" scope="col">
            {product}
          </th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map(({ question, guessing, naming }) => (
          <tr
            key={question}
            className="border-t border-dashed border-rule align-baseline max-sm:block max-sm:py-4"
          >
            <th
              className="sm:py-4 sm:pr-8 text-left font-serif font-bold text-[1.2rem] max-sm:block"
              scope="row"
            >
              {question}
            </th>
            <td className="sm:py-4 sm:pr-8 max-sm:block">
              <span className="block text-quiet sm:hidden pt-2">Apps that guess</span>
              {guessing}
            </td>
            <td className="sm:py-4 max-sm:block">
              <span className="block font-semibold sm:hidden pt-2">{product}</span>
              {naming}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
