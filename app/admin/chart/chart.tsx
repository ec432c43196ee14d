import { type ComponentType, lazy, Suspense } from "react";
import { Link } from "react-router";
import { useHydrated } from "../../ui/use-hydrated.ts";
import { formatCount } from "../console-page.tsx";
import { type Column, Table } from "../lists/table.tsx";
import type { LiveChartProps } from "./live-chart.tsx";
import {
  type BarChartProps,
  type Frame,
  frameOf,
  PADDING,
  type Period,
  type Point,
  SPANS,
  shortened,
  tickOf,
} from "./points.ts";

/** Loaded only by pages with a chart, because of its library. Until then, the drawn chart stays. */
const LiveChart = lazy<ComponentType<LiveChartProps>>(() =>
  import("./live-chart.tsx").catch(() => ({ default: () => null })),
);

/** The last point is the unfinished day or week. */
export function BarChart({
  title,
  of,
  figure = "This period",
  span,
  format = formatCount,
  ...props
}: BarChartProps) {
  const isHydrated = useHydrated();
  const isCompared = props.points.some(({ before }) => before?.value);
  const points = isCompared ? props.points : props.points.map(({ label, value }) => ({ label, value }));
  if (!isCompared && points.every(({ value }) => value === 0))
    return (
      <div className="chart">
        <h3>{title}</h3>
        <p className="text-quiet">{`Nothing in the last ${span}.`}</p>
      </div>
    );
  const formatTick = (value: number) => shortened(format(value));
  const frame = frameOf(points, formatTick);
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
        <div className="chart-plot">
          {/* Hidden by its styles once the other has bars. */}
          <DrawnChart points={points} frame={frame} formatTick={formatTick} />
          {isHydrated && (
            <Suspense>
              <LiveChart {...{ title, of, points, span, format, frame, formatTick }} />
            </Suspense>
          )}
        </div>
      </div>
      <details className="chart-figures" data-quiet="">
        <summary>Show the figures</summary>
        <Table
          label={title}
          caption={isCompared ? `${title}, beside the ${span} before` : title}
          rows={points.toReversed()}
          columns={[
            { header: of, cell: ({ label }) => (label === points.at(-1)?.label ? "So far" : label) },
            { header: figure, isNumber: true, cell: ({ value }) => format(value) },
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

interface DrawnChartProps {
  points: readonly Point[];
  frame: Frame;
  formatTick: (value: number) => string;
}

/** In units of the drawing, which is stretched to the available width. */
const HEIGHT = 100;
const STEP = 10;
const GAP = STEP * PADDING;

/** Drawn by the server, which does not know the width. */
function DrawnChart({ points, frame: { margin, ticks, labeled }, formatTick }: DrawnChartProps) {
  const width = points.length * STEP + GAP;
  const scale = HEIGHT / (ticks.at(-1) ?? 1);
  const centerOf = (index: number) => GAP + index * STEP + (STEP - GAP) / 2;
  const line = points.flatMap(({ before }, index) =>
    before ? `${centerOf(index)},${HEIGHT - before.value * scale}` : [],
  );
  const { top, right, bottom, left } = margin;
  return (
    <div
      className="chart-drawn"
      style={{ inset: `${top}px ${right}px ${bottom}px ${left}px` }}
      aria-hidden="true"
    >
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {ticks.map((tick) => (
          <line key={tick} x2={width} y1={HEIGHT - tick * scale} y2={HEIGHT - tick * scale} />
        ))}
        {points.map(({ label, value }, index) => (
          <rect
            key={label}
            x={GAP + index * STEP}
            y={HEIGHT - value * scale}
            width={STEP - GAP}
            height={value * scale}
          />
        ))}
        {line.length > 0 && <polyline points={line.join(" ")} />}
      </svg>
      {ticks.map((tick) => (
        <span key={tick} className="chart-tick" style={{ bottom: `${tick * scale}%` }}>
          {formatTick(tick)}
        </span>
      ))}
      {labeled.map((index) => (
        <span key={index} className="chart-label" style={{ left: `${(100 * centerOf(index)) / width}%` }}>
          {tickOf(points, points[index]?.label ?? "")}
        </span>
      ))}
    </div>
  );
}

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
    <div className="chart-period">
      <nav aria-label="How far back" className="console-pages">
        <span className="text-quiet max-sm:hidden">Period</span>
        {SPANS.map((span) => link(`${span} weeks`, { weeks: span }, span === weeks))}
      </nav>
      {canCompare && (
        <nav aria-label="Comparison" className="console-pages">
          {link(`With the ${weeks} before`, { isCompared: true }, isCompared)}
          {link("Not compared", { isCompared: false }, !isCompared)}
        </nav>
      )}
    </div>
  );
}
