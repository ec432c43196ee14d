import { Amount } from "../ui/amount.tsx";
import type { Total } from "../ui/sample-lines.ts";

/** @param props.name of the list, for screen readers */
export function Totals(props: { name: string; totals: readonly Total[]; currency?: "$" | "" }) {
  const { name, totals, currency } = props;
  const largest = Math.max(...totals.map(({ minorUnits }) => -minorUnits));
  return (
    <ul className="totals" aria-label={name}>
      {totals.map(({ label, minorUnits }) => (
        <li key={label}>
          <span className="label">{label}</span>
          {minorUnits < 0 && (
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <path
                className="fill-coral"
                d={`M0 0H${Math.max(1, Math.round((-100 * minorUnits) / largest))}V8H0Z`}
              />
            </svg>
          )}
          <Amount minorUnits={minorUnits} currency={currency} />
        </li>
      ))}
    </ul>
  );
}
