import type { ReactNode } from "react";
import { formatMoney } from "../billing/plans.ts";
import { SAMPLE_MONTH, sampleTotal } from "../ui/sample-lines.ts";
import { useSite } from "../ui/site.ts";

export function dollars(minorUnits: number): string {
  return formatMoney(minorUnits, "usd");
}

const OVERSPENT = "Too much coffee";
const LIMIT = 4000;
const SPENT = sampleTotal(OVERSPENT);
/** Of its category in the month, which went over the limit. */
const LAST = SAMPLE_MONTH.filter(({ label }) => label === OVERSPENT).reduce((one, other) =>
  Math.max(...other.days) > Math.max(...one.days) ? other : one,
);

export function BudgetExample() {
  const { product } = useSite();
  return (
    <Example caption={<Label>{OVERSPENT}</Label>}>
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
        <p className="font-semibold">{`“${OVERSPENT}” is ${dollars(SPENT - LIMIT)} over`}</p>
        <p>{`${dollars(-LAST.minorUnits)} at ${LAST.text} put you over. Nine days left in November.`}</p>
      </div>
    </Example>
  );
}

const TREND = "Getting to work";
/** In whole dollars. */
const MONTHS = [
  { name: "Jun", spent: 96 },
  { name: "Jul", spent: 104 },
  { name: "Aug", spent: 71 },
  { name: "Sep", spent: 112 },
  { name: "Oct", spent: 128 },
  { name: "Nov", spent: sampleTotal(TREND) / 100 },
];

/** Each point is centered above its month; the baseline is zero. */
const points = MONTHS.map(({ spent }, index) => ({ x: index * 50 + 25, y: 110 - spent * 0.7 }));

export function TrendExample() {
  const described = MONTHS.map(({ name, spent }) => `${name} $${spent}`).join(", ");
  return (
    <Example caption={<Label>{TREND}</Label>}>
      <div>
        <svg viewBox="0 0 300 110" className="w-full" role="img" aria-label={`Spent by month: ${described}`}>
          <path className="stroke-edge" d="M0 109.5h300" />
          <polyline
            className="stroke-coral fill-none"
            strokeWidth="3"
            points={points.map(({ x, y }) => `${x},${y}`).join(" ")}
          />
          {points.map(({ x, y }) => (
            <circle key={x} className="fill-sheet stroke-coral" strokeWidth="3" cx={x} cy={y} r="4" />
          ))}
        </svg>
        <ol className="grid grid-cols-6 text-center text-[0.9375rem] amount" aria-hidden="true">
          {MONTHS.map(({ name, spent }) => (
            <li key={name}>
              <span className="text-quiet block">{name}</span>
              {`$${spent}`}
            </li>
          ))}
        </ol>
      </div>
      <p className="text-[0.9375rem]">$141 in November: up $45 since June, a six-month high.</p>
    </Example>
  );
}

/** Computed monthly, interest rounded to cents. */
const REPAYMENTS = [
  { monthly: "$25.00", months: 35, interest: "$230.40" },
  { monthly: "$60.00", months: 12, interest: "$78.28" },
  { monthly: "$120.00", months: 6, interest: "$39.69" },
];

export function CardExample() {
  return (
    <Example caption={<Label>The blue card</Label>}>
      <p className="flex flex-wrap justify-between gap-x-4">
        <span>Balance at 21.9% APR</span>
        <strong className="amount text-coral">−$640.00</strong>
      </p>
      <table className="w-full text-[0.9375rem]">
        <thead>
          <tr className="text-quiet text-left">
            <th className="font-normal pb-1">Monthly payment</th>
            <th className="font-normal text-right pb-1 pl-2">Months</th>
            <th className="font-normal text-right pb-1 pl-2">Interest</th>
          </tr>
        </thead>
        <tbody>
          {REPAYMENTS.map(({ monthly, months, interest }) => (
            <tr key={monthly} className="border-t border-dashed border-rule">
              <td className="amount py-2">{monthly}</td>
              <td className="text-right">{months}</td>
              <td className="amount text-right font-semibold pl-2">{interest}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Example>
  );
}

export function GoalExample() {
  return (
    <Example caption={<Label>Two weeks in Porto</Label>}>
      <div>
        <p className="flex flex-wrap justify-between gap-x-4">
          <span>Saved</span>
          <span className="amount">
            <strong className="text-green">$780.00</strong> of $1,200.00
          </span>
        </p>
        <Bar filled={65} />
      </div>
      <p className="text-[0.9375rem]">
        Six months to go: $70 a month gets you there. You save $85 on average, so you’ll be there a month
        early.
      </p>
    </Example>
  );
}

const ACCOUNTS = [
  { bank: "NORTHSIDE CHECKING 4821", label: "Everyday" },
  { bank: "BLUE CARD 1005", label: "The blue card" },
  { bank: "NORTHSIDE SAVINGS 0077", label: "Porto" },
];

export function ConnectionExample() {
  return (
    <Example caption="Your accounts, your names">
      <ul>
        {ACCOUNTS.map(({ bank, label }) => (
          <li
            key={bank}
            className="grid gap-x-3 gap-y-1 sm:grid-cols-[1fr_9rem] items-center justify-items-start py-3 border-t border-dashed border-rule"
          >
            <span className="font-mono text-[0.9375rem]">{bank}</span>
            <Label>{label}</Label>
          </li>
        ))}
      </ul>
    </Example>
  );
}

function Example({ caption, children }: { caption: ReactNode; children: ReactNode }) {
  return (
    <figure className="sheet grid gap-4 pb-5">
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 items-baseline justify-between text-quiet text-[0.9375rem]">
        <span>{caption}</span>
        <span>Example</span>
      </figcaption>
      {children}
    </figure>
  );
}

function Label({ children }: { children: ReactNode }) {
  return <span className="label font-semibold text-[0.9375rem] text-on-label">{children}</span>;
}

/** In percent. The part beyond `limit` is marked as overspent. */
function Bar({ filled, limit }: { filled: number; limit?: number }) {
  const within = Math.min(filled, limit ?? 100);
  return (
    <svg className="w-full h-5" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect className="fill-rule" y="2" width="100" height="6" />
      <rect className={limit ? "fill-ink" : "fill-green"} y="2" width={within} height="6" />
      {limit && (
        <>
          <rect className="fill-coral" x={limit} y="2" width={filled - limit} height="6" />
          <rect className="fill-ink" x={limit - 0.4} width="1.2" height="10" />
          <rect className="fill-sheet" x={limit - 0.4} y="2" width="1.2" height="6" />
        </>
      )}
    </svg>
  );
}
