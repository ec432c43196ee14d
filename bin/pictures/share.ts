import { type CSSProperties, createElement, type ReactElement, type ReactNode } from "react";
import {
  SHARE_PICTURE_SIZE,
  SHARED_TOTALS,
  type SharedHeadline,
  type SharedLine,
  type SharePicture,
} from "../../app/marketing/seo/share-picture.ts";
import { amountText } from "../../app/ui/bank-line.ts";
import { COLORS } from "../../app/ui/colors.ts";

const MARGIN = 72;
const LINE_SIZE = 36;
const LABEL_SIZE = 44;
const PRODUCT_SIZE = 44;

/** The picture of a shared page, for satori: the product's name, a headline, and what it shows. */
export function drawSharePicture(
  { product, headline }: { product: string; headline: SharedHeadline },
  { shows }: SharePicture,
): ReactElement {
  return div(
    {
      ...SHARE_PICTURE_SIZE,
      flexDirection: "column",
      justifyContent: "space-between",
      padding: `48px ${MARGIN}px 56px`,
      background: COLORS.paper,
      color: COLORS.ink,
      fontFamily: "latin",
    },
    tag(product, PRODUCT_SIZE),
    drawHeadline(headline),
    div(
      {
        flexDirection: "column",
        padding: "20px 36px 26px",
        background: COLORS.sheet,
        border: `2px solid ${COLORS.edge}`,
        boxShadow: `8px 8px 0 ${COLORS.rule}`,
      },
      ...(shows === "totals" ? drawTotals() : drawLabeledLine(shows)),
    ),
  );
}

/** Sized so that a headline of 60 characters fits. */
function drawHeadline({ text, label }: SharedHeadline): ReactElement {
  const fontSize = text.length <= 25 ? 88 : text.length <= 50 ? 76 : 52;
  return div(
    {
      flexDirection: "column",
      gap: fontSize * 0.12,
      fontSize,
      fontWeight: 700,
      lineHeight: 1.04,
      letterSpacing: -0.015 * fontSize,
    },
    text && div({ textWrap: "balance" }, text),
    tag(label, fontSize, 1.2),
  );
}

function drawLabeledLine({ line, amount, label }: SharedLine): ReactElement[] {
  return [drawLine(line, amount), div({ marginTop: 14, transform: "rotate(-2deg)" }, tag(label, LABEL_SIZE))];
}

/** The totals of the app's screen: a label, a bar and an amount a line. */
function drawTotals(): ReactElement[] {
  const largest = Math.max(...SHARED_TOTALS.map(({ minorUnits }) => -minorUnits));
  return SHARED_TOTALS.map(({ label, minorUnits }) =>
    div(
      { alignItems: "center", height: 56, fontSize: LINE_SIZE, fontWeight: 500 },
      div({ width: 310, flexShrink: 0 }, tag(label, LINE_SIZE, 1.3)),
      div({ width: `${(46 * -minorUnits) / largest}%`, height: 14, background: COLORS.coral }),
      div(
        { marginLeft: "auto", color: COLORS.coral, fontVariantNumeric: "lining-nums tabular-nums" },
        amountText(minorUnits),
      ),
    ),
  );
}

function drawLine(line: string, amount: string): ReactElement {
  return div(
    { alignItems: "flex-end", fontSize: LINE_SIZE, fontWeight: 500 },
    div({ color: COLORS.quiet }, drawTypewritten(line)),
    div({ flexGrow: 1, margin: "0 14px 12px", borderBottom: `3px dotted ${COLORS.rule}` }),
    div({ color: COLORS.coral }, drawTypewritten(amount)),
  );
}

/** Imitates a monospaced font with a cell for each character, to avoid a second font for one line. */
function drawTypewritten(text: string): ReactElement {
  return div(
    { fontVariantNumeric: "lining-nums tabular-nums" },
    ...[...text].map((character) => drawCell(character)),
  );
}

function drawCell(character: string): ReactElement {
  return div({ width: LINE_SIZE * 0.68, justifyContent: "center" }, character === " " ? "\u00a0" : character);
}

/** `.label` of styles.css, with the point on its left. */
function tag(text: string, fontSize: number, lines = 1.45): ReactElement {
  const height = Math.round(fontSize * lines);
  const point = Math.round(fontSize * 0.5);
  return div(
    { height, fontSize, fontWeight: 700, lineHeight: 1 },
    createElement(
      "svg",
      // A pixel wider than the point, so that no seam shows between the two parts.
      { width: point + 1, height, viewBox: `0 0 ${point + 1} ${height}`, style: { marginRight: -1 } },
      createElement("path", {
        fill: COLORS.label,
        d: `M${point + 1} 0H${point}L0 ${height / 2}L${point} ${height}H${point + 1}z`,
      }),
    ),
    div(
      {
        alignItems: "center",
        height,
        padding: `0 ${fontSize * 0.4}px ${fontSize * 0.12}px ${fontSize * 0.25}px`,
        background: COLORS.label,
      },
      text,
    ),
  );
}

/** satori supports flex layout only. */
function div(style: CSSProperties, ...children: ReactNode[]): ReactElement {
  return createElement("div", { style: { display: "flex", boxSizing: "border-box", ...style } }, ...children);
}
