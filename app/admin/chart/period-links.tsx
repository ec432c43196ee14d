import { Link } from "react-router";
import { useHydrated } from "../../ui/use-hydrated.ts";
import { type Period, SPANS } from "./period.ts";

/**
 * Links that choose how far back the charts of a page go, and whether they are compared with the period before.
 *
 * @param section the id of what the page begins at when the link loads it as a document
 * @param canCompare whether the page shows a chart
 */
export function PeriodLinks(props: {
  period: Period;
  hrefOf: (period: Period) => string;
  section?: string;
  canCompare?: boolean;
}) {
  const { period, hrefOf, section, canCompare = true } = props;
  const hash = useHydrated() || !section ? "" : `#${section}`;
  const { weeks, isCompared } = period;
  const link = (label: string, other: Partial<Period>, isShown: boolean) => (
    // The router leaves the page where it is, but not where an address names a place in it.
    <Link
      key={label}
      to={hrefOf({ ...period, ...other }) + hash}
      prefetch="intent"
      preventScrollReset
      aria-current={isShown ? "page" : undefined}
    >
      {label}
    </Link>
  );
  return (
    <div className="chart-period">
      <nav aria-label="How far back" className="console-pages">
        {SPANS.map((span) => link(`${span} weeks`, { weeks: span }, span === weeks))}
      </nav>
      {canCompare && (
        <nav aria-label="Comparison" className="console-pages">
          {link(`With the ${weeks} weeks before`, { isCompared: true }, isCompared)}
          {link("Not compared", { isCompared: false }, !isCompared)}
        </nav>
      )}
    </div>
  );
}
