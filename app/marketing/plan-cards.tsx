import type { ReactNode } from "react";
import { NotSoldInPeriod } from "../billing/billing-toggle.tsx";
import { signUpLink } from "../billing/choice.ts";
import {
  BILLING_MESSAGES,
  formatMoney,
  monthlyAmount,
  type Plan,
  type Price,
  periodsOf,
  priceFor,
  priceTerms,
} from "../billing/plans.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useSite } from "../ui/site.ts";

/** The features of each tier, none of which is available yet. */
const INCLUDED: Record<Tier, string[]> = {
  basic: [
    "CSV Processing: your bank’s files, sorted by your words",
    "Categories, income sources and keywords of your own",
    "Budgets with email alerts",
    "Trend and credit-card analysis",
    "Goal setting",
  ],
  premium: ["Everything in CSV Only", "Banking API: lines arrive by themselves"],
};

/**
 * The plans and the desktop app, side by side; the checked radio of `BillingToggle` selects the prices shown.
 *
 * @param props.plans `null` when they could not be loaded
 */
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
              return price ? (
                <PlanPrice key={interval} plan={plan} price={price} promo={props.promo} />
              ) : (
                <NotSoldInPeriod key={interval} plan={plan} interval={interval} />
              );
            })}
            <div className="grid gap-3 content-start">
              <p className="font-semibold">Coming soon, during the beta</p>
              <ul className="list">
                {INCLUDED[plan.tier].map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </div>
          </Card>
        ))}
        <DesktopCard />
      </ul>
    </>
  );
}

function Card(props: { name: string; description: string | null; children: ReactNode }) {
  return (
    <li className="sheet grid gap-5 content-start pb-6 min-[64rem]:row-span-3 min-[64rem]:grid-rows-subgrid">
      <div className="grid gap-2 content-start">
        <h2>{props.name}</h2>
        <p>{props.description}</p>
      </div>
      {props.children}
    </li>
  );
}

function PlanPrice({ plan, price, promo }: { plan: Plan; price: Price; promo: string | null }) {
  const { hostedAppUrl } = useSite();
  const { interval, unitAmount, currency } = price;
  const isYearly = interval === "year";
  const other = priceFor(plan, isYearly ? "month" : "year");
  const saved = isYearly && other ? 12 * other.unitAmount - unitAmount : 0;
  return (
    <div data-interval={interval} className="grid gap-3 content-start">
      <p className="amount whitespace-normal">
        <span className="font-serif font-bold text-[2rem]">
          {formatMoney(monthlyAmount(price), currency)}
        </span>
        {` ${priceTerms(price)}`}
        {!isYearly && other && ` (or ${formatMoney(other.unitAmount, currency)} a year)`}
      </p>
      {saved > 0 && <p>{`You save ${formatMoney(saved, currency)} a year`}</p>}
      <div>
        <ButtonLink href={signUpLink(hostedAppUrl, { plan: plan.id, billing: interval, promo })}>
          {`Choose ${plan.name}`}
        </ButtonLink>
      </div>
      <p className="text-quiet text-[0.9375rem]">
        {`Next: a free account, then the payment page, where ${formatMoney(unitAmount, currency)} is taken. It renews ${
          isYearly ? "yearly" : "monthly"
        } until you cancel.`}
      </p>
    </div>
  );
}

function DesktopCard() {
  const { storeUrl } = useSite();
  return (
    <Card name="Desktop app" description="One payment, a lifetime license, no subscription.">
      <div className="grid gap-3 content-start justify-items-start">
        <ButtonLink href={storeUrl} isQuiet>
          See it in the store
        </ButtonLink>
        <p className="text-quiet text-[0.9375rem]">
          An external store sells it, shows the price and takes the payment, under its own terms. It is no
          part of a plan.
        </p>
      </div>
    </Card>
  );
}
