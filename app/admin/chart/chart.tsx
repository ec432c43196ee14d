import { Link } from "react-router";
import { useHydrated } from "../../ui/use-hydrated.ts";
import { formatCount } from "../console-page.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { useCurrentInView } from "../use-current-in-view.ts";
import { Plot } from "./plot.tsx";
import { type BarChartProps, type Period, type Point, SPANS } from "./points.ts";

/** The last point is the unfinished day or week. */
export function BarChart({ title, of, span, format = formatCount, ...props }: BarChartProps) {
  const isCompared = props.points.some(({ before }) => before?.value);
  const points = isCompared ? props.points : props.points.map(({ label, value }) => ({ label, value }));
  if (!isCompared && points.every(({ value }) => value === 0))
    return (
      <div className="chart">
        <h3>{title}</h3>
        <p className="text-quiet">{`Nothing in the last ${span}.`}</p>
      </div>
    );
  return (
    <div className="chart">
      <h3>{title}</h3>
      <div className="chart-picture">
        {isCompared && (
          <ul className="chart-legend" aria-hidden="true">
            <li>{`Last ${span}`}</li>
            <li>{`${span} before`}</li>
          </ul>
        )}
        <Plot {...{ title, of, points, span, format }} />
      </div>
      <details className="chart-figures">
        <summary>Show the figures</summary>
        <Table
          label={title}
          caption={isCompared ? `${title}, beside the ${span} before` : title}
          rows={points.toReversed()}
          columns={[
            { header: of, cell: ({ label }) => (label === points.at(-1)?.label ? `${label} so far` : label) },
            { header: "Figure", isNumber: true, cell: ({ value }) => format(value) },
            ...(isCompared ? [beforeColumn(format)] : []),
          ]}
          keyOf={({ label }) => label}
        />
      </details>
    </div>
  );
}

const beforeColumn = (format: (value: number) => string): Column<Point> => ({
  header: "Before",
  isNumber: true,
  cell: ({ before }) => before && format(before.value),
});

/** @param section the id of what the page begins at when the link loads it as a document */
export function PeriodLinks(props: {
  period: Period;
  hrefOf: (period: Period) => string;
  section?: string;
  canCompare?: boolean;
}) {
  const { period, hrefOf, section, canCompare = true } = props;
  const hash = useHydrated() || !section ? "" : `#${section}`;
  const { weeks, isCompared } = period;
  const row = useCurrentInView<HTMLDivElement>();
  const link = (label: string, other: Partial<Period>, isShown: boolean) => (
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
    <div ref={row} className="chart-period console-row">
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
