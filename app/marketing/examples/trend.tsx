import { sampleTotal } from "../../ui/sample-lines.ts";
import { Example, Label } from "./example.tsx";

const CATEGORY = "Getting to work";
/** In whole dollars. */
const MONTHS = [
  { name: "Jun", spent: 96 },
  { name: "Jul", spent: 104 },
  { name: "Aug", spent: 71 },
  { name: "Sep", spent: 112 },
  { name: "Oct", spent: 128 },
  { name: "Nov", spent: sampleTotal(CATEGORY) / 100 },
];

/** Each point is centered above its month; the baseline is zero. */
const points = MONTHS.map(({ spent }, index) => ({ x: index * 50 + 25, y: 110 - spent * 0.7 }));

export function TrendExample() {
  return (
    <Example caption={<Label>{CATEGORY}</Label>}>
      <div>
        <svg viewBox="0 0 300 110" className="w-full" role="img" aria-label={describeTrend()}>
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

function describeTrend(): string {
  return `Spent by month: ${MONTHS.map(({ name, spent }) => `${name} $${spent}`).join(", ")}`;
}
