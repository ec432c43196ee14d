import { BillingToggle } from "../billing/billing-toggle.tsx";
import { listPlansOnSale } from "../billing/catalogue.server.ts";
import { choiceIn, signUpLink } from "../billing/choice.ts";
import { fromContext } from "../context.server.ts";
import type { RouteHandle } from "../root.tsx";
import { useSite } from "../site.ts";
import { Notice } from "../ui/notice.tsx";
import { waitlistOffer } from "../waitlist/offer.server.ts";
import { WaitlistSection } from "../waitlist/waitlist.tsx";
import type { Route } from "./+types/pricing.ts";
import { PlanCards } from "./plan-cards.tsx";
import { softwareApplication } from "./seo/json-ld.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches, loaderData }) =>
  publicMeta(matches, "/pricing", (site) => [softwareApplication(site, loaderData?.plans ?? [])]);

export const handle: RouteHandle = { hasWaitlist: true };

export async function loader({ request, context }: Route.LoaderArgs) {
  const { app } = fromContext(context);
  const { billing, promo } = choiceIn(new URL(request.url).search);
  return {
    plans: await listPlansOnSale(app),
    waitlist: waitlistOffer(app),
    billing: billing ?? "year",
    promo,
  };
}

export default function Pricing({ loaderData: { plans, waitlist, billing, promo } }: Route.ComponentProps) {
  const { hostedAppUrl } = useSite();
  return (
    <>
      <div className="billing page grid gap-8 py-10 md:py-16">
        <div className="grid gap-4">
          <h1>Pricing</h1>
          <p className="lead">
            It is beta, phase 1, and says so: what is marked as coming soon is not open yet. If you pay now,
            it opens in your account as it arrives.
          </p>
        </div>
        {promo && <CarriedPromo code={promo} />}
        <BillingToggle billing={billing} />
        <PlanCards plans={plans} promo={promo} />
        <p className="measure">
          A plan renews until you cancel; what you paid for stays yours to its end. How to cancel and when you
          get your money back is in <a href="/terms#refunds">the terms</a>. Have a promo code? It gives you a
          plan for a while, without a card: enter it after{" "}
          <a href={signUpLink(hostedAppUrl, { promo })}>signing up</a>.
        </p>
      </div>
      <WaitlistSection offer={waitlist} idPrefix="pricing" />
      <section className="page band" aria-labelledby="business">
        <h2 id="business">For a business</h2>
        <p className="measure">
          An adviser’s clients, a club, a company’s cards: tell us what you need, and we say whether we can do
          it. <a href="/contact?topic=business">Ask for a custom business solution</a>.
        </p>
      </section>
    </>
  );
}

function CarriedPromo({ code }: { code: string }) {
  return (
    <Notice tone="plain">
      Promo code <span className="label font-semibold">{code}</span> comes with you: choose a plan or sign up,
      and you find it filled in. It is checked when you apply it.
    </Notice>
  );
}
