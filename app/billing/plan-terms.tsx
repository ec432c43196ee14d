import { type FeatureStates, openness, useFeatures } from "../entitlements/features.ts";
import type { Feature, Tier } from "../entitlements/tiers.ts";
import { useSite } from "../ui/site.ts";
import {
  type BillingInterval,
  chargedAmount,
  formatMoney,
  monthlyAmount,
  type Plan,
  type Price,
  periodsOf,
  priceFor,
  savingLabel,
} from "./plans.ts";

// In the same words on the pricing and the checkout page.

const INCLUDED: Record<Tier, readonly { text: string; feature: Feature }[]> = {
  basic: [
    { text: "CSV Processing: your bank’s files, sorted by your words", feature: "csv_processing" },
    { text: "Your own categories, income sources and keywords", feature: "csv_processing" },
    { text: "Budgets with email alerts", feature: "csv_processing" },
    { text: "Trend and credit-card analysis", feature: "csv_processing" },
    { text: "Goal setting", feature: "csv_processing" },
  ],
  premium: [
    { text: "Everything in CSV Only", feature: "csv_processing" },
    { text: "Banking API: transactions come in automatically", feature: "banking_api" },
  ],
};

/** @param isInFull where the smaller plan is not beside it */
export function PlanFeatures({ tier, isInFull }: { tier: Tier; isInFull?: boolean }) {
  const features = useFeatures();
  const included =
    isInFull && tier === "premium" ? [...INCLUDED.basic, ...INCLUDED.premium.slice(1)] : INCLUDED[tier];
  return (
    <div className="grid gap-3 content-start">
      <Included title="Open now" items={included.filter(({ feature }) => features[feature].isOpen)} />
      <Included
        title="Coming during the beta"
        items={included.filter(({ feature }) => !features[feature].isOpen)}
      />
    </div>
  );
}

function Included({ title, items }: { title: string; items: readonly { text: string }[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <p className="font-semibold">{title}</p>
      <ul className="list">
        {items.map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}

export function featuresLead(features: FeatureStates): string {
  const state = openness(features);
  if (state === "all") return "Every feature below is open.";
  const unfinished =
    state === "some" ? "Some of the features below are open and the others" : "The features below";
  return `${unfinished} are still being built. Buy now and you get each one the day it opens.`;
}

export function PlanPrice({ plan, price }: { plan: Plan; price: Price }) {
  const { interval, unitAmount, currency } = price;
  const { plusTax } = useSite();
  const isYearly = interval === "year";
  const other = priceFor(plan, isYearly ? "month" : "year");
  const saved = isYearly && other ? 12 * other.unitAmount - unitAmount : 0;
  return (
    <div>
      <p className="amount whitespace-normal">
        <PriceLine>{chargedAmount(price)}</PriceLine>
        {isYearly
          ? `${formatMoney(monthlyAmount(price), currency)} a month, billed yearly${plusTax}`
          : `Billed monthly${other ? `, or ${chargedAmount(other)}` : ""}${plusTax}`}
      </p>
      {saved > 0 && <p>{`You save ${formatMoney(saved, currency)} a year`}</p>}
    </div>
  );
}

export function PriceLine({ children }: { children: string }) {
  return <span className="block font-serif font-bold text-[2rem] leading-tight">{children}</span>;
}

/** @param hasSession whether there is an account already */
export function nextStep(price: Price, hasSession: boolean, plusTax: string): string {
  const amount = formatMoney(price.unitAmount, price.currency);
  const first = hasSession ? "" : " You’ll create a free account first.";
  return `${amount} today, then ${price.interval}ly until you cancel${plusTax}.${first}`;
}

/** Switches the prices in the same `.billing`. Radios, so that it works without a script. */
export function BillingToggle({ plans, billing }: { plans: Plan[]; billing: BillingInterval | null }) {
  if (periodsOf(plans).length < 2) return null;
  const chosen = billing ?? "year";
  const saving = savingLabel(plans);
  return (
    <fieldset className="flex flex-wrap gap-2 w-full sm:w-auto">
      <legend className="sr-only">Billing</legend>
      <label className="choice">
        <input type="radio" name="billing" value="year" defaultChecked={chosen === "year"} /> Annual
        {saving && <strong className="font-semibold">{saving}</strong>}
      </label>
      <label className="choice">
        <input type="radio" name="billing" value="month" defaultChecked={chosen === "month"} /> Monthly
      </label>
    </fieldset>
  );
}

export function NotSoldInPeriod({ plan, interval }: { plan: Plan; interval: BillingInterval }) {
  const [missing, other] = interval === "year" ? ["annual", "Monthly"] : ["monthly", "Annual"];
  return (
    <p
      data-interval={interval}
    >{`${plan.name} has no ${missing} price. Choose ${other} to see what it costs.`}</p>
  );
}
