import { type BillingInterval, type Plan, periodsOf, savingLabel } from "./plans.ts";

/**
 * Switches the prices inside the same `.billing` between yearly (the default) and monthly. Radios, so that it works
 * without a script. Renders nothing when the plans are sold in one period only.
 */
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

/** Takes the place of the price for a plan that is sold in the other period only. */
export function NotSoldInPeriod({ plan, interval }: { plan: Plan; interval: BillingInterval }) {
  const [missing, other] = interval === "year" ? ["annual", "Monthly"] : ["monthly", "Annual"];
  return (
    <p
      data-interval={interval}
    >{`${plan.name} has no ${missing} price. Choose ${other} to see what it costs.`}</p>
  );
}
