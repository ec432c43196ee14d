import type { BillingInterval } from "./plans.ts";

/** Chooses which half of the prices inside the same `.billing` is shown; radios, so that it needs no script. */
export function BillingToggle({ billing }: { billing: BillingInterval }) {
  return (
    <fieldset className="flex flex-wrap gap-3">
      <legend className="font-semibold pb-2">Billed</legend>
      <label className="choice">
        <input type="radio" name="billing" value="year" defaultChecked={billing === "year"} /> Annual
        <span className="label text-[0.9375rem] font-semibold">Save 17%</span>
      </label>
      <label className="choice">
        <input type="radio" name="billing" value="month" defaultChecked={billing === "month"} /> Monthly
      </label>
    </fieldset>
  );
}
