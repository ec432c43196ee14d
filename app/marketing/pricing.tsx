import { data } from "react-router";
import { BillingToggle } from "../billing/billing-toggle.tsx";
import { loadPlans } from "../billing/catalogue.server.ts";
import { choiceIn, signUpLink } from "../billing/choice.ts";
import { fromContext } from "../http/context.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import { useSite } from "../ui/site.ts";
import { WaitlistSection } from "../waitlist/waitlist.tsx";
import { waitlistMode } from "../waitlist/waitlist-mode.ts";
import type { Route } from "./+types/pricing.ts";
import { PlanCards } from "./plan-cards.tsx";
import { softwareApplication } from "./seo/json-ld.ts";
import { publicMeta } from "./seo/public-meta.ts";

export const meta: Route.MetaFunction = ({ matches, loaderData }) =>
  publicMeta(matches, "/pricing", (site) => [softwareApplication(site, loaderData?.plans ?? [])]);

export const handle: RouteHandle = { hasWaitlist: true };

export async function loader({ request, context }: Route.LoaderArgs) {
  const { app, state } = fromContext(context);
  const { billing, promo } = choiceIn(new URL(request.url).search);
  const plans = await loadPlans({ app, state });
  return data({ plans, waitlist: waitlistMode(app), billing, promo }, plans ? 200 : 503);
}

export default function Pricing({ loaderData: { plans, waitlist, billing, promo } }: Route.ComponentProps) {
  const { product, supportEmail, hostedAppUrl } = useSite();
  return (
    <>
      <div className="billing page grid gap-8 py-10 md:py-16">
        <div className="grid gap-4">
          <h1>Pricing</h1>
          <p className="lead">
            {`${product} is in beta, phase 1. Today you can have an account and a plan; what is listed below is not open yet. Pay now, and each part opens in your account when it is ready. Prefer to wait?`}{" "}
            <a href="#waitlist">Join the waitlist</a>, free.
          </p>
        </div>
        {promo && <PromoCodeNotice code={promo} href={signUpLink(hostedAppUrl, { promo })} />}
        <BillingToggle plans={plans ?? []} billing={billing} />
        <PlanCards plans={plans} promo={promo} />
        <p className="measure">
          A plan renews until you cancel, by writing to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
          You keep it to the end of the time you paid for. Ask within 14 days of a payment and you get it
          back, as <a href="/terms#refunds">the terms</a> say. A promo code gives you a plan for a while, with
          no card: <a href={signUpLink(hostedAppUrl, { promo })}>sign up</a>, then enter it.
        </p>
      </div>
      <WaitlistSection mode={waitlist} idPrefix="pricing" />
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

/** @param props.href the sign-up link that keeps the code */
function PromoCodeNotice({ code, href }: { code: string; href: string }) {
  return (
    <Notice tone="plain">
      <div className="grid gap-3 justify-items-start">
        <p>
          Promo code <span className="label font-semibold [overflow-wrap:anywhere]">{code}</span> comes with
          you. Nothing is charged for a code: it gives you a plan for a while, and is checked when you apply
          it. Choosing a plan below is a purchase, which the code does not make cheaper.
        </p>
        <ButtonLink href={href}>Sign up and use the code</ButtonLink>
      </div>
    </Notice>
  );
}
