import type { ReactNode } from "react";
import { PriceLine } from "../billing/plan-terms.tsx";
import { BILLING_MESSAGES, chargedAmount, formatMoney, monthlyAmount, type Plan } from "../billing/plans.ts";
import { buyingEarly, useFeatures } from "../entitlements/features.ts";
import { Notice } from "../ui/notice.tsx";
import { useSite } from "../ui/site.ts";

/** @param props.plans `null`: could not be loaded */
export function PlanLedger({ plans }: { plans: Plan[] | null }) {
  const { storeUrl } = useSite();
  const features = useFeatures();
  return (
    <>
      {!plans && <Notice tone="bad">{BILLING_MESSAGES.plansFailed}</Notice>}
      {plans?.length === 0 && <Notice tone="plain">{BILLING_MESSAGES.noPlans}</Notice>}
      <ul className="sheet">
        {plans?.map(({ id, name, description, prices }) => (
          <Line key={id} name={name} description={description}>
            <Prices prices={prices} />
          </Line>
        ))}
        <Line name="Desktop app" description="No subscription.">
          <p>
            <PriceLine>Pay once</PriceLine>A lifetime license, {storeUrl ? "from " : "not on sale yet"}
            {storeUrl && <a href={storeUrl}>our partner store</a>}
          </p>
        </Line>
      </ul>
      <p className="measure">
        {plans && plans.length > 0 && `${buyingEarly(null, features)} `}
        <a href="/pricing">See what each plan includes</a>
      </p>
    </>
  );
}

function Prices({ prices }: Pick<Plan, "prices">) {
  const [first, other] = prices.toSorted((a, b) => b.interval.localeCompare(a.interval));
  const { plusTax } = useSite();
  if (!first) return null;
  return (
    <p>
      <PriceLine>{chargedAmount(first)}</PriceLine>
      {first.interval === "year" &&
        `${formatMoney(monthlyAmount(first), first.currency)} a month, billed yearly`}
      {other && `, or ${formatMoney(other.unitAmount, other.currency)} billed monthly`}
      {plusTax || null}
    </p>
  );
}

function Line(props: { name: string; description: string | null; children: ReactNode }) {
  const { name, description, children } = props;
  return (
    <li className="grid gap-x-8 gap-y-2 py-5 not-first:border-t border-dashed border-rule md:grid-cols-[1.2fr_1fr]">
      <div>
        <h3>{name}</h3>
        <p className="text-quiet">{description}</p>
      </div>
      <div className="amount whitespace-normal">{children}</div>
    </li>
  );
}
