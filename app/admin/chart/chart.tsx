import { type PointerEvent, useState } from "react";
import { Link } from "react-router";
import { useHydrated } from "../../ui/use-hydrated.ts";
import { formatCount } from "../console-page.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { describeChange, type Period, type Point, SPANS, ticksOf } from "./points.ts";

interface BarChartProps {
  /** What is counted. */
  title: string;
  /** What the labels are: "Week of". */
  of: string;
  /** Days, or weeks by their first one, as "2026-11-23", the oldest first. Their values are whole. */
  points: readonly Point[];
  /** How long all of them are: "12 weeks". */
  span: string;
  /** How a value is written; as a number without it. */
  format?: (value: number) => string;
}

/** Bars, a line for the period before if the points have it, and the same figures as a table beside them. */
export function BarChart({ title, of, points, span, format = formatCount }: BarChartProps) {
  const isCompared = points.some(({ before }) => before);
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
      <Table
        label={title}
        caption={isCompared ? `${title}, beside the ${span} before` : title}
        rows={points.toReversed()}
        columns={[
          { header: of, cell: ({ label }) => label },
          { header: "Figure", isNumber: true, cell: ({ value }) => format(value) },
          ...(isCompared ? [beforeColumn(format)] : []),
        ]}
        keyOf={({ label }) => label}
      />
    </div>
  );
}

const beforeColumn = (format: (value: number) => string): Column<Point> => ({
  header: "Before",
  isNumber: true,
  cell: ({ before }) => before && format(before.value),
});

/** In units of the drawing, which is stretched to the width there is. */
const HEIGHT = 100;
const STEP = 10;
const GAP = 3;
/** How many bars have a label, at most. */
const MAX_LABELS = 4;
/** The width of a letter of the labels, in pixels. */
const LETTER = 7;

/** The drawing. The tooltip follows the pointer, and the slider, which is seen only by screen readers, the arrow keys. */
function Plot({ title, of, points, span, format }: Required<BarChartProps>) {
  const isHydrated = useHydrated();
  const [shown, setShown] = useState<number | null>(null);
  const [chosen, setChosen] = useState(Infinity);
  const ticks = ticksOf(points);
  const scale = HEIGHT / (ticks.at(-1) ?? 1);
  const width = points.length * STEP + GAP;
  const centerOf = (index: number) => GAP + index * STEP + (STEP - GAP) / 2;
  const last = points.length - 1;
  const stride = Math.ceil(points.length / MAX_LABELS);
  // Without cents, which no line has.
  const tickLabels = ticks.map((tick) => format(tick).replace(/\.00$/, ""));
  const left = LETTER * Math.max(...tickLabels.map((label) => label.length)) + 10;
  const line = points.flatMap(({ before }, index) =>
    before ? `${centerOf(index)},${HEIGHT - before.value * scale}` : [],
  );

  function pointAt({ clientX, currentTarget }: PointerEvent) {
    const box = currentTarget.getBoundingClientRect();
    const index = Math.floor((((clientX - box.left) / box.width) * width - GAP / 2) / STEP);
    setShown(Math.max(0, Math.min(last, index)));
  }

  const pointShown = shown === null ? undefined : points[shown];
  const selected = Math.min(chosen, last);
  const pointSelected = points[selected];
  return (
    <div className="chart-plot">
      {/* The table has the same figures. */}
      <div
        className="chart-drawn"
        style={{ left }}
        aria-hidden="true"
        onPointerMove={pointAt}
        onPointerDown={pointAt}
        onPointerLeave={() => setShown(null)}
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
          {shown !== null && pointShown && <line x1={centerOf(shown)} x2={centerOf(shown)} y2={HEIGHT} />}
        </svg>
        {ticks.map((tick, index) => (
          <span key={tick} className="chart-tick" style={{ bottom: `${tick * scale}%` }}>
            {tickLabels[index]}
          </span>
        ))}
        {points.map(
          ({ label }, index) =>
            (last - index) % stride === 0 && (
              <span
                key={label}
                className="chart-label"
                style={{ left: `${(100 * centerOf(index)) / width}%` }}
              >
                {label.slice("2026-".length)}
              </span>
            ),
        )}
        {shown !== null && pointShown && (
          <Tooltip place={(100 * centerOf(shown)) / width} {...{ of, point: pointShown, span, format }} />
        )}
      </div>
      {isHydrated && pointSelected && (
        <input
          type="range"
          className="sr-only"
          aria-label={`${title}: ${of}`}
          aria-valuetext={describePoint(pointSelected, span, format)}
          min={0}
          max={last}
          value={selected}
          onChange={({ currentTarget }) => {
            setChosen(currentTarget.valueAsNumber);
            setShown(currentTarget.valueAsNumber);
          }}
          onFocus={() => setShown(selected)}
          onBlur={() => setShown(null)}
          onKeyDown={({ key }) => key === "Escape" && setShown(null)}
        />
      )}
    </div>
  );
}

type TooltipProps = Pick<Required<BarChartProps>, "of" | "span" | "format"> & { point: Point; place: number };

/** What a bar stands for. @param place in percent of the width, of which the tooltip never exceeds either end */
function Tooltip({ of, point: { label, value, before }, span, format, place }: TooltipProps) {
  return (
    <div className="chart-tooltip" style={{ left: `${place}%`, transform: `translateX(-${place}%)` }}>
      <p>{`${of} ${label}`}</p>
      <p className="chart-value">{format(value)}</p>
      {before && (
        <>
          <p>{`${span} before: ${format(before.value)}`}</p>
          <p>{`Difference: ${describeChange(value, before.value, format)}`}</p>
        </>
      )}
    </div>
  );
}

function describePoint(
  { label, value, before }: Point,
  span: string,
  format: (value: number) => string,
): string {
  const compared =
    before && `, ${span} before ${format(before.value)}, ${describeChange(value, before.value, format)}`;
  return `${label}: ${format(value)}${compared ?? ""}`;
}

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
