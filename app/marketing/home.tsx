import { fromContext } from "../context.server.ts";
import { useSite } from "../site.ts";
import { ButtonLink } from "../ui/button.tsx";
import { waitlistOffer } from "../waitlist/offer.server.ts";
import { WaitlistSection } from "../waitlist/waitlist.tsx";
import type { Route } from "./+types/home.ts";
import { Statement } from "./statement.tsx";
import { pageMeta } from "./title.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(
    matches,
    "Your money, in your own words",
    "The first personal finance app that makes you name your own spending categories and income sources.",
  );

export const handle = { hasWaitlist: true };

export function loader({ context }: Route.LoaderArgs) {
  return { waitlist: waitlistOffer(fromContext(context).app) };
}

export default function Home({ loaderData: { waitlist } }: Route.ComponentProps) {
  const { product } = useSite();
  return (
    <>
      <section className="page grid gap-10 md:grid-cols-[1.05fr_1fr] md:gap-16 items-center py-10 md:py-20">
        <div className="grid gap-6 justify-items-start">
          <h1>
            Your money, in <span className="label headline-label">your own words</span>
          </h1>
          <p className="text-[1.15rem] max-w-[34rem]">
            Other finance apps label your money for you. {product} makes you do it, once: you name your
            spending categories and your income sources, link keywords to them, and it remembers.
          </p>
          <div className="flex flex-wrap gap-4">
            <ButtonLink href="/register">Sign Up</ButtonLink>
            <ButtonLink href="/why-different" isQuiet>
              Why We're Different
            </ButtonLink>
          </div>
          <p className="text-quiet">
            Beta, phase 1. Signing up is free; you pay only when you choose a plan.
          </p>
        </div>
        <Statement />
      </section>
      <section className="page grid gap-6 py-10 max-w-[70rem]">
        <h2>What it promises, and where it stands</h2>
        <ul className="label-list max-w-[42rem]">
          <li>Budgets in your own categories, with an email when one runs out.</li>
          <li>Trends, month by month, of the things you named.</li>
          <li>Credit-card analysis: what a purchase on the card costs in the end.</li>
          <li>Goals with a date, and what to put aside for them.</li>
          <li>Bank connections, so that lines arrive by themselves.</li>
        </ul>
        <p className="max-w-[42rem]">
          It is early. CSV processing and the banking API are coming, and there is no mobile app yet. We say
          on <a href="/pricing">the pricing page</a> what each plan will include.
        </p>
      </section>
      <WaitlistSection offer={waitlist} idPrefix="home" />
    </>
  );
}
