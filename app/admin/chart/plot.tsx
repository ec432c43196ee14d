import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { useHydrated } from "../../ui/use-hydrated.ts";
import { type BarChartProps, describeChange, frameOf, type Point, shortened, tickOf } from "./points.ts";

/** In units of the drawing, which is stretched to the available width. */
const HEIGHT = 100;
const STEP = 10;
const GAP = 3;

const centerOf = (index: number) => GAP + index * STEP + (STEP - GAP) / 2;

/** Drawn by the server, which does not know the width. Where React runs, its bars say their figures. */
export function Plot({ title, of, points, span, format }: Required<BarChartProps>) {
  const isHydrated = useHydrated();
  const [shown, setShown] = useState<number | null>(null);
  const formatTick = (value: number) => shortened(format(value));
  const { margin, ticks, labeled } = frameOf(points, formatTick);
  const { top, right, bottom, left } = margin;
  const width = points.length * STEP + GAP;
  const scale = HEIGHT / (ticks.at(-1) ?? 1);
  const line = points.flatMap(({ before }, index) =>
    before ? `${centerOf(index)},${HEIGHT - before.value * scale}` : [],
  );
  const point = shown === null ? undefined : points[shown];
  const acrossOf = (index: number) => `${(100 * centerOf(index)) / width}%`;

  function pointTo({ pointerType, clientX, currentTarget }: PointerEvent) {
    // A finger has the slider, which lies over the bars.
    if (pointerType === "touch") return;
    const box = currentTarget.getBoundingClientRect();
    const index = Math.floor((((clientX - box.left) / box.width) * width - GAP / 2) / STEP);
    setShown(Math.min(Math.max(index, 0), points.length - 1));
  }

  return (
    <div className="chart-plot">
      <div
        className="chart-drawn"
        style={{ inset: `${top}px ${right}px ${bottom}px ${left}px` }}
        aria-hidden="true"
        onPointerMove={pointTo}
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
              data-shown={index === shown || undefined}
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
          <span key={index} className="chart-label" style={{ left: acrossOf(index) }}>
            {tickOf(points, points[index]?.label ?? "")}
          </span>
        ))}
        {shown !== null && point && (
          <div
            className="chart-tooltip"
            style={{
              left: acrossOf(shown),
              bottom: `calc(${Math.min(point.value * scale, 50)}% + 0.5rem)`,
              // Inside the chart at its ends, too.
              transform: `translateX(-${acrossOf(shown)})`,
            }}
          >
            <Reading {...{ of, point, span, format }} />
          </div>
        )}
      </div>
      {isHydrated && <Slider {...{ title, of, points, span, format, margin, show: setShown }} />}
    </div>
  );
}

type Readable = Pick<Required<BarChartProps>, "of" | "span" | "format">;

function Reading({ of, point: { label, value, before }, span, format }: Readable & { point: Point }) {
  return (
    <>
      <p>{`${of} ${label}`}</p>
      <p className="chart-value">{format(value)}</p>
      {before && (
        <>
          <p>{`${span} before: ${format(before.value)}`}</p>
          <p>{`Difference: ${describeChange(value, before.value, format)}`}</p>
        </>
      )}
    </>
  );
}

interface SliderProps extends Required<BarChartProps> {
  margin: { left: number; right: number };
  show: (index: number | null) => void;
}

/** The figures by keyboard, and announced. For fingers it lies unseen over the bars. */
function Slider({ title, of, points, span, format, margin, show }: SliderProps) {
  const [chosen, choose] = useState(Number.POSITIVE_INFINITY);
  const index = Math.min(chosen, points.length - 1);
  const point = points[index];
  if (!point) return null;
  const { label, value, before } = point;
  const place = { left: margin.left, right: margin.right, "--bars": points.length };
  return (
    <div className="sr-only chart-slider" style={place}>
      <input
        type="range"
        aria-label={`${title}: ${of}`}
        aria-valuetext={`${label}: ${format(value)}${before ? `, ${span} before ${format(before.value)}, ${describeChange(value, before.value, format)}` : ""}`}
        min={0}
        max={points.length - 1}
        value={index}
        onChange={({ currentTarget }) => {
          // The next touch elsewhere takes the focus, and the figures with it.
          currentTarget.focus();
          choose(currentTarget.valueAsNumber);
          show(currentTarget.valueAsNumber);
        }}
        onFocus={() => show(index)}
        onBlur={() => show(null)}
        onKeyDown={({ key }: KeyboardEvent) => key === "Escape" && show(null)}
      />
    </div>
  );
}
