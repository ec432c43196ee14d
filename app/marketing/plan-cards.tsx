import type { ReactNode } from "react";
import { signUpLink } from "../billing/choice.ts";
import { BILLING_MESSAGES, formatMoney, monthlyAmount, type Plan, type Price } from "../billing/plans.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { useSite } from "../site.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";

/** What a tier includes, and what of it is still to come. */
const INCLUDED: Record<Tier, { text: string; isComing?: boolean }[]> = {
  basic: [
    { text: "Categories, income sources and keywords of your own" },
    { text: "Budgets with email alerts" },
    { text: "Trend and credit-card analysis" },
    { text: "Goal setting" },
    { text: "CSV Processing", isComing: true },
  ],
  premium: [
    { text: "Everything in CSV Only" },
    { text: "CSV Processing", isComing: true },
    { text: "Banking API: lines arrive by themselves", isComing: true },
  ],
};

/** The plans and the desktop app, side by side; which of the prices is shown is up to the radio that is checked. */
export function PlanCards({ plans, promo }: { plans: Plan[]; promo: string | null }) {
  return (
    <>
      {plans.length === 0 && <Notice tone="plain">{BILLING_MESSAGES.noPlans}</Notice>}
      <ul className="grid gap-6 md:grid-cols-3">
        {plans.map((plan) => (
          <Card key={plan.id} name={plan.name} description={plan.description}>
            {plan.prices.map((price) => (
              <Offer key={price.id} plan={plan} price={price} promo={promo} />
            ))}
            <ul className="label-list">
              {INCLUDED[plan.tier].map(({ text, isComing }) => (
                <li key={text}>
                  {text} {isComing && <span className="text-quiet">(coming soon)</span>}
                </li>
              ))}
            </ul>
          </Card>
        ))}
        <DesktopCard />
      </ul>
    </>
  );
}

function Card(props: { name: string; description: string | null; children: ReactNode }) {
  return (
    <li className="sheet flex flex-col gap-5 pb-6">
      <div className="grid gap-2">
        <h2>{props.name}</h2>
        <p>{props.description}</p>
      </div>
      {props.children}
    </li>
  );
}

function Offer({ plan, price, promo }: { plan: Plan; price: Price; promo: string | null }) {
  const { hostedAppUrl } = useSite();
  const { interval, unitAmount, currency } = price;
  const isYearly = interval === "year";
  const other = plan.prices.find((one) => one.interval !== interval && one.currency === currency);
  return (
    <div data-interval={interval} className="grid gap-3">
      <p className="amount whitespace-normal">
        <span className="font-serif font-bold text-[2rem]">
          {formatMoney(monthlyAmount(price), currency)}
        </span>{" "}
        a month{isYearly && `, billed ${formatMoney(unitAmount, currency)} a year`}
        {!isYearly && (other ? `, or ${formatMoney(other.unitAmount, currency)} a year` : ", billed monthly")}
      </p>
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
    <Card name="Desktop app" description="For one computer, without a subscription.">
      <p>
        <span className="font-serif font-bold text-[2rem]">One payment</span>
      </p>
      <div>
        <ButtonLink href={storeUrl} isQuiet>
          See it in the store
        </ButtonLink>
      </div>
      <p className="text-quiet text-[0.9375rem]">
        An external store sells it, shows the price, and takes the payment. Its terms apply.
      </p>
      <ul className="label-list">
        <li>A lifetime license, paid once</li>
        <li>Your own categories, income sources and keywords</li>
        <li>No account here, and no plan</li>
      </ul>
    </Card>
  );
}
