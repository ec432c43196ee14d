import { formatMoney } from "../../billing/plans.ts";
import { SAMPLE_MONTH, sampleTotal } from "../../ui/sample-lines.ts";
import { useSite } from "../../ui/site.ts";
import { Bar, Example, Label } from "./example.tsx";

const CATEGORY = "Too much coffee";
const LIMIT = 4000;
const SPENT = sampleTotal(CATEGORY);
/** Of its category in the month, which went over the limit. */
const LAST = SAMPLE_MONTH.filter(({ label }) => label === CATEGORY).reduce((one, other) =>
  Math.max(...other.days) > Math.max(...one.days) ? other : one,
);

function dollars(minorUnits: number): string {
  return formatMoney(minorUnits, "usd");
}

export function BudgetExample() {
  const { product } = useSite();
  return (
    <Example caption={<Label>{CATEGORY}</Label>}>
      <div>
        <p className="flex flex-wrap justify-between gap-x-4">
          <span>November</span>
          <span className="amount">
            <strong className="text-coral">{dollars(SPENT)}</strong> of {dollars(LIMIT)}
          </span>
        </p>
        <Bar filled={(80 * SPENT) / LIMIT} limit={80} />
      </div>
      <div className="border-t border-dashed border-rule pt-3 grid gap-1 text-[0.9375rem]">
        <p className="text-quiet">{`Email from ${product}`}</p>
        <p className="font-semibold">{`“${CATEGORY}” is ${dollars(SPENT - LIMIT)} over`}</p>
        <p>{`${dollars(-LAST.minorUnits)} at ${LAST.text} put you over. Nine days left in November.`}</p>
      </div>
    </Example>
  );
}
