import { dayOf, type Frame, PADDING } from "./frame.ts";
import type { Point } from "./period.ts";

interface DrawnChartProps {
  points: readonly Point[];
  frame: Frame;
  formatTick: (value: number) => string;
}

/** In units of the drawing, which is stretched to the width there is. */
const HEIGHT = 100;
const STEP = 10;
const GAP = STEP * PADDING;

/** The chart as the server draws it, which knows no width: what is there before, and without, scripts. */
export function DrawnChart({ points, frame: { margin, ticks, labeled }, formatTick }: DrawnChartProps) {
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
          {dayOf(points[index]?.label ?? "")}
        </span>
      ))}
    </div>
  );
}
