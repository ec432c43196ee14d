import type { BillingInterval } from "./plans.ts";

/** Chooses which half of the prices inside the same `.billing` is shown; radios, so that it needs no script. Yearly unless chosen. */
export function BillingToggle({ billing }: { billing: BillingInterval | null }) {
  const chosen = billing ?? "year";
  return (
    <fieldset className="flex flex-wrap gap-3">
      <legend className="font-semibold pb-2">Billed</legend>
      <label className="choice">
        <input type="radio" name="billing" value="year" defaultChecked={chosen === "year"} /> Annual
        <span className="label text-[0.9375rem] font-semibold">Save 17%</span>
      </label>
      <label className="choice">
        <input type="radio" name="billing" value="month" defaultChecked={chosen === "month"} /> Monthly
      </label>
    </fieldset>
  );
}
