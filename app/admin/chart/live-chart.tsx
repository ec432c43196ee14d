import { ParentSize } from "@visx/responsive";
import {
  Axis,
  BarSeries,
  buildChartTheme,
  DataProvider,
  Grid,
  LineSeries,
  Tooltip,
  TooltipContext,
  TooltipProvider,
  XYChart,
} from "@visx/xychart";
import { type KeyboardEvent, useContext, useState } from "react";
import { type BarChartProps, describeChange, type Frame, PADDING, type Point, tickOf } from "./points.ts";

export interface LiveChartProps extends Required<Omit<BarChartProps, "figure">> {
  frame: Frame;
  formatTick: (value: number) => string;
}

const THEME = buildChartTheme({
  backgroundColor: "var(--color-sheet)",
  colors: ["var(--color-green)", "var(--color-ink)"],
  gridColor: "var(--color-rule)",
  gridColorDark: "var(--color-ink)",
  svgLabelSmall: {
    fill: "var(--color-quiet)",
    fontFamily: "inherit",
    fontSize: 12,
    fontWeight: 400,
    letterSpacing: 0,
  },
  tickLength: 4,
});
const X_SCALE = { type: "band", padding: PADDING } as const;
const BARS = "bars";

/** The chart in the browser, with a tooltip. It needs its width, so no server draws it. */
export default function LiveChart(props: LiveChartProps) {
  const { title, of, points, span, format, frame, formatTick } = props;
  const { margin, ticks, labeled } = frame;
  const data = [...points];
  return (
    <DataProvider theme={THEME} xScale={X_SCALE} yScale={{ type: "linear", domain: [0, ticks.at(-1) ?? 1] }}>
      <TooltipProvider hideTooltipDebounceMs={0}>
        {/* The table says the same. */}
        <div className="chart-live" aria-hidden="true">
          {/* Its own delay would leave a turned phone with a chart that is too wide for 300 ms. */}
          <ParentSize debounceTime={0}>
            {({ width, height }) => (
              <XYChart width={width} height={height} margin={margin} accessibilityLabel={title}>
                <Grid columns={false} numTicks={ticks.length - 1} />
                <Axis orientation="left" tickValues={ticks} tickFormat={formatTick} hideAxisLine hideTicks />
                <Axis
                  orientation="bottom"
                  tickValues={labeled.map((index) => points[index]?.label ?? "")}
                  tickFormat={(label) => tickOf(points, label)}
                  hideTicks
                />
                <BarSeries
                  dataKey={BARS}
                  data={data}
                  xAccessor={labelOf}
                  yAccessor={barValue}
                  colorAccessor={barColor}
                />
                {data.some(({ before }) => before) && (
                  <LineSeries
                    dataKey="line"
                    data={data}
                    xAccessor={labelOf}
                    yAccessor={lineValue}
                    colorAccessor={lineColor}
                    strokeDasharray="5 4"
                    enableEvents={false}
                  />
                )}
                <Tooltip<Point>
                  unstyled
                  applyPositionStyle
                  className="chart-tooltip"
                  snapTooltipToDatumX
                  snapTooltipToDatumY
                  showVerticalCrosshair
                  verticalCrosshairStyle={{ stroke: "var(--color-edge)" }}
                  renderTooltip={({ tooltipData }) => {
                    const point = tooltipData?.nearestDatum?.datum;
                    return point && <Reading of={of} point={point} span={span} format={format} />;
                  }}
                />
              </XYChart>
            )}
          </ParentSize>
        </div>
        <Slider {...props} />
      </TooltipProvider>
    </DataProvider>
  );
}

const labelOf = ({ label }: Point) => label;
const barValue = ({ value }: Point) => value;
const lineValue = ({ before }: Point) => before?.value ?? 0;
const barColor = () => "var(--color-green)";
const lineColor = () => "var(--color-ink)";

type ReadingProps = Pick<LiveChartProps, "of" | "span" | "format"> & { point: Point };

function Reading({ of, point: { label, value, before }, span, format }: ReadingProps) {
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

/** The tooltip by keyboard, and announced. It lies unseen over the bars: a chart drops its tooltip when a finger lifts. */
function Slider({ title, of, points, span, format, frame: { margin } }: LiveChartProps) {
  const tooltip = useContext(TooltipContext);
  const [chosen, choose] = useState(Infinity);
  const index = Math.min(chosen, points.length - 1);
  const point = points[index];
  if (!tooltip || !point) return null;
  const show = (index: number) => {
    const datum = points[index];
    if (datum) tooltip.showTooltip({ key: BARS, index, datum, distanceX: 0, distanceY: 0 });
  };
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
          // The next touch elsewhere takes the focus, and the tooltip with it.
          currentTarget.focus();
          choose(currentTarget.valueAsNumber);
          show(currentTarget.valueAsNumber);
        }}
        onFocus={() => show(index)}
        onBlur={() => tooltip.hideTooltip()}
        onKeyDown={({ key }: KeyboardEvent) => key === "Escape" && tooltip.hideTooltip()}
      />
    </div>
  );
}
