import type { Tier } from "../entitlements/tiers.ts";
import { formatMoney, monthlyAmount, type Plan, type Price, priceFor, priceTerms } from "./plans.ts";

// What a plan includes and costs, in the same words on the pricing page and on the page where it is bought.

/** What each tier includes. None of it is available yet: say so wherever it is listed. */
const INCLUDED: Record<Tier, readonly string[]> = {
  basic: [
    "CSV Processing: your bank’s files, sorted by your words",
    "Your own categories, income sources and keywords",
    "Budgets with email alerts",
    "Trend and credit-card analysis",
    "Goal setting",
  ],
  premium: ["Everything in CSV Only", "Banking API: transactions come in automatically"],
};

/** What a plan includes, under the heading that says it is still being built. */
export function PlanFeatures({ tier }: { tier: Tier }) {
  return (
    <div className="grid gap-3 content-start">
      <p className="font-semibold">Coming during the beta</p>
      <ul className="list">
        {INCLUDED[tier].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}

/** Both figures of a price, the monthly one on a line of its own, and what a year of it saves. */
export function PlanPrice({ plan, price }: { plan: Plan; price: Price }) {
  const { interval, unitAmount, currency } = price;
  const isYearly = interval === "year";
  const other = priceFor(plan, isYearly ? "month" : "year");
  const saved = isYearly && other ? 12 * other.unitAmount - unitAmount : 0;
  return (
    <div>
      <p className="amount whitespace-normal">
        <span className="block font-serif font-bold text-[2rem] leading-tight">
          {formatMoney(monthlyAmount(price), currency)}
        </span>
        {` ${priceTerms(price)}`}
        {!isYearly && other && ` (or ${formatMoney(other.unitAmount, currency)} a year)`}
      </p>
      {saved > 0 && <p>{`You save ${formatMoney(saved, currency)} a year`}</p>}
    </div>
  );
}

/**
 * What the button beside a price leads to, and when money moves.
 *
 * @param needsAccount whether signing up comes first
 */
export function nextStep(price: Price, needsAccount: boolean): string {
  const amount = formatMoney(price.unitAmount, price.currency);
  return `Next: ${needsAccount ? "a free account, then " : ""}Stripe’s payment page. You pay ${amount} there today, then ${amount} every ${price.interval} until you cancel.`;
}
