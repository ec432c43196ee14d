import type { ReactNode } from "react";
import { signUpLink } from "../billing/choice.ts";
import { NotSoldInPeriod, nextStep, PlanFeatures, PlanPrice, PriceLine } from "../billing/plan-terms.tsx";
import { BILLING_MESSAGES, type Plan, type Price, periodsOf, priceFor } from "../billing/plans.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useRoot, useSite } from "../ui/site.ts";

/** The checked radio of `BillingToggle` selects the prices shown. @param props.plans `null`: could not be loaded */
export function PlanCards(props: { plans: Plan[] | null; promo: string | null }) {
  const plans = props.plans ?? [];
  return (
    <>
      {!props.plans && <Notice tone="bad">{BILLING_MESSAGES.plansFailed}</Notice>}
      {props.plans?.length === 0 && <Notice tone="plain">{BILLING_MESSAGES.noPlans}</Notice>}
      <ul className="grid gap-6 min-[64rem]:grid-cols-3">
        {plans.map((plan) => (
          <Card key={plan.id} name={plan.name} description={plan.description}>
            {periodsOf(plans).map((interval) => {
              const price = priceFor(plan, interval);
              return (
                <div key={interval} data-interval={interval} className={OFFER}>
                  {price ? (
                    <PlanOffer plan={plan} price={price} promo={props.promo} />
                  ) : (
                    <NotSoldInPeriod plan={plan} interval={interval} />
                  )}
                </div>
              );
            })}
            <PlanFeatures tier={plan.tier} />
          </Card>
        ))}
        <DesktopCard />
      </ul>
    </>
  );
}

/** Side by side, the buttons of the cards are in one row. */
const OFFER = "grid gap-3 content-start min-[64rem]:row-span-2 min-[64rem]:grid-rows-subgrid";

function Card(props: { name: string; description: string | null; children: ReactNode }) {
  return (
    <li className="sheet grid gap-5 content-start pb-6 min-[64rem]:row-span-4 min-[64rem]:grid-rows-subgrid">
      <div className="grid gap-2 content-start">
        <h2 className="text-[1.5rem]">{props.name}</h2>
        <p>{props.description}</p>
      </div>
      {props.children}
    </li>
  );
}

function PlanOffer({ plan, price, promo }: { plan: Plan; price: Price; promo: string | null }) {
  const { site, hasSession } = useRoot();
  return (
    <>
      <PlanPrice plan={plan} price={price} />
      <div className="grid gap-3 content-start justify-items-start">
        <ButtonLink href={signUpLink(site.hostedAppUrl, { plan: plan.id, billing: price.interval, promo })}>
          {`Choose ${plan.name}`}
        </ButtonLink>
        <p className="text-quiet text-[0.9375rem]">{nextStep(price, hasSession, site.plusTax)}</p>
      </div>
    </>
  );
}

/** Spec §9. Only the external store knows its price. */
function DesktopCard() {
  const { storeUrl } = useSite();
  return (
    <Card name="Desktop app" description="A separate app for your computer.">
      <div className={OFFER}>
        <p>
          <PriceLine>Pay once</PriceLine> for a lifetime license
        </p>
        {storeUrl ? (
          <div className="grid gap-3 content-start justify-items-start">
            <ButtonLink href={storeUrl} isQuiet>
              See it in the store
            </ButtonLink>
            <p className="text-quiet text-[0.9375rem]">
              Next: our partner store, where you see the price and pay.
            </p>
          </div>
        ) : (
          <p>Not on sale yet</p>
        )}
      </div>
      <div className="grid gap-3 content-start">
        <p className="font-semibold">Good to know</p>
        <ul className="list">
          <li>{`${storeUrl ? "Sold by our" : "Will be sold by a"} partner store, under its own refund terms`}</li>
          <li>Separate from the web plans</li>
        </ul>
      </div>
    </Card>
  );
}
