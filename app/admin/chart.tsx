import { useId } from "react";

/** A bar and the row of the table beside it. */
interface Point {
  /** What the bar stands for: a week, a day, a source. */
  label: string;
  value: number;
}

interface BarChartProps {
  /** What is counted: the heading of both. */
  title: string;
  /** What the labels are: "Week of". */
  of: string;
  /** In the order of the bars, from left to right. */
  points: readonly Point[];
  /** How a value is written; as a number without it. */
  format?: (value: number) => string;
}

/** In units of the drawing, which is stretched to the width there is. */
const HEIGHT = 100;
const STEP = 10;
const BAR = 7;
/** So that a day with one beside a day with a thousand is still seen. */
const LEAST_BAR = 1;

/**
 * Bars, and the same figures as a table beside them. Drawn on the server: it has no script and no style of its own, which
 * the policy of these pages would refuse.
 */
export function BarChart({ title, of, points, format = formatCount }: BarChartProps) {
  const most = Math.max(0, ...points.map(({ value }) => value));
  const id = useId();
  return (
    <div className="chart">
      <h3 id={id}>{title}</h3>
      {/* The table says the same. */}
      <div className="chart-picture" aria-hidden="true">
        <p>{format(most)}</p>
        <svg
          viewBox={`0 0 ${Math.max(points.length, 1) * STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          {points.map(({ label, value }, index) => (
            <Bar key={label} x={index * STEP} height={heightOf(value, most)} />
          ))}
        </svg>
        <p className="chart-ends">
          <span>{points[0]?.label}</span>
          <span>{points.length > 1 && points.at(-1)?.label}</span>
        </p>
      </div>
      {/* Focusable, so that a keyboard can scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable (WCAG 2.1.1) */}
      <section className="console-table chart-table" aria-labelledby={id} tabIndex={0}>
        <table>
          <caption className="sr-only">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{of}</th>
              <th scope="col" className="number">
                Figure
              </th>
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map(({ label, value }) => (
              <tr key={label}>
                <td>{label}</td>
                <td className="number">{format(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function Bar({ x, height }: { x: number; height: number }) {
  return <rect x={x + (STEP - BAR) / 2} y={HEIGHT - height} width={BAR} height={height} />;
}

function heightOf(value: number, most: number): number {
  return value <= 0 ? 0 : Math.max((HEIGHT * value) / most, LEAST_BAR);
}

/** A count as people write it: 12,345. */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US");
}
