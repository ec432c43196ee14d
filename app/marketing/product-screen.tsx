import { SAMPLE_MONTH, sampleTotals } from "../ui/sample-lines.ts";
import { dollars } from "./examples.tsx";
import { Totals } from "./totals.tsx";

const DAYS = 30;
const ROWS = 5;
const TOTALS = sampleTotals();
const INCOME = sumOf((amount) => Math.max(amount, 0));
const SPENT = sumOf((amount) => Math.max(-amount, 0));
const SPENT_BY_DAY = Array.from({ length: DAYS }, (_, index) =>
  SAMPLE_MONTH.reduce(
    (sum, { minorUnits, days }) =>
      sum + Math.max(-minorUnits, 0) * days.filter((day) => day <= index + 1).length,
    0,
  ),
);

function sumOf(part: (minorUnits: number) => number): number {
  return TOTALS.reduce((sum, { minorUnits }) => sum + part(minorUnits), 0);
}

export function ProductScreen() {
  return (
    <figure className="sheet screen">
      <figcaption>
        <strong>November</strong>
        <span className="text-quiet">Example</span>
      </figcaption>
      <dl>
        <Total term="In" minorUnits={INCOME} />
        <Total term="Out" minorUnits={SPENT} />
        <Total term="Left" minorUnits={INCOME - SPENT} />
      </dl>
      <svg viewBox="0 0 300 72" role="img" aria-label={describeDays()}>
        <path className="fill-rule" d={`${daysPath()}V70H0Z`} />
        <path className="stroke-coral fill-none" strokeWidth="2.5" d={daysPath()} />
        <path className="stroke-edge" d="M0 70.5H300" />
      </svg>
      <p className="screen-days" aria-hidden="true">
        <span>Nov 1</span>
        <span>{`${dollars(SPENT)} spent by Nov ${DAYS}`}</span>
      </p>
      <Totals name="Categories and income sources" totals={TOTALS.slice(0, ROWS)} />
      <p className="text-quiet">{`And ${TOTALS.length - ROWS} more`}</p>
    </figure>
  );
}

function Total({ term, minorUnits }: { term: string; minorUnits: number }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd className="amount">{dollars(minorUnits)}</dd>
    </div>
  );
}

function daysPath(): string {
  const steps = SPENT_BY_DAY.map(
    (spent, index) => `V${Math.round(70 - (66 * spent) / SPENT)}H${(index + 1) * (300 / DAYS)}`,
  );
  return `M0 70${steps.join("")}`;
}

function describeDays(): string {
  const weeks = [7, 14, 21, 28, DAYS].map(
    (day) => `by November ${day} ${dollars(SPENT_BY_DAY[day - 1] ?? 0)}`,
  );
  return `Spent ${weeks.join(", ")}`;
}
