import { type ComponentType, lazy, Suspense, useId } from "react";
import { useHydrated } from "../../ui/use-hydrated.ts";
import { DrawnChart } from "./drawn-chart.tsx";
import { type BarChartProps, frameOf, shortened } from "./frame.ts";
import type { LiveChartProps } from "./live-chart.tsx";

/** Fetched by pages with a chart alone, for its library. Where it cannot be fetched the page stays as it is without it. */
const LiveChart = lazy<ComponentType<LiveChartProps>>(() =>
  import("./live-chart.tsx").catch(() => ({ default: () => null })),
);

/** Bars, a line for the period before if the points have it, and the same figures as a table beside them. */
export function BarChart({ title, of, points, span, format = formatCount }: BarChartProps) {
  const id = useId();
  const isHydrated = useHydrated();
  const isCompared = points.some(({ before }) => before);
  const formatTick = (value: number) => shortened(format(value));
  const frame = frameOf(points, formatTick);
  return (
    <div className="chart">
      <h3 id={id}>{title}</h3>
      <div className="chart-picture">
        {isCompared && (
          <ul className="chart-legend" aria-hidden="true">
            <li>{`Last ${span}`}</li>
            <li>{`${span} before`}</li>
          </ul>
        )}
        <div className="chart-plot">
          {/* Hidden by its styles once the other has bars: no moment is without. */}
          <DrawnChart points={points} frame={frame} formatTick={formatTick} />
          {isHydrated && (
            <Suspense>
              <LiveChart {...{ title, of, points, span, format, frame, formatTick }} />
            </Suspense>
          )}
        </div>
      </div>
      {/* Focusable, so that a keyboard can scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable (WCAG 2.1.1) */}
      <section className="console-table chart-table" aria-labelledby={id} tabIndex={0}>
        <table>
          <caption className="sr-only">{isCompared ? `${title}, beside the ${span} before` : title}</caption>
          <thead>
            <tr>
              <th scope="col">{of}</th>
              <th scope="col" className="number">
                Figure
              </th>
              {isCompared && (
                <th scope="col" className="number">
                  Before
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {points.toReversed().map(({ label, value, before }) => (
              <tr key={label}>
                <td>{label}</td>
                <td className="number">{format(value)}</td>
                {isCompared && <td className="number">{before && format(before.value)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

/** A count as people write it: 12,345. */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US");
}
