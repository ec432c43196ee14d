import { formatTable, type Row } from "./table.ts";

/** One of the eight promises about speed that README.md shows, and whose figures they are. */
interface Point {
  what: string;
  benchmark: string;
  /** Which figures of the benchmark; without it, all that have a limit. */
  figures?: RegExp;
}

const ACCOUNT_PAGES = /account|login|dashboard|register|subscription/i;

const POINTS: Point[] = [
  {
    what: "A first visit, on a slow phone",
    benchmark: "first-visit",
    figures: /^(?!.*(account|login|dashboard|register|subscription))/i,
  },
  { what: "Account pages: weight and first paint", benchmark: "first-visit", figures: ACCOUNT_PAGES },
  { what: "Public pages from memory", benchmark: "pages" },
  { what: "Rendered pages", benchmark: "rendered" },
  { what: "Redeeming promo codes", benchmark: "redeem" },
  { what: "Webhooks, and what follows from them", benchmark: "webhooks" },
  { what: "Flat from a thousand to ten million rows", benchmark: "growth" },
  { what: "The cost of standing there", benchmark: "cost" },
];

/** The rows with a limit that belong to a point. */
function rowsOfPoint({ benchmark, figures }: Point, rows: readonly Row[]): Row[] {
  return rows.filter(
    (row) =>
      row.benchmark === benchmark &&
      (row.limit !== "" ? (figures?.test(row.figure) ?? true) : isWithout(row)),
  );
}

const isWithout = ({ state }: Row) => state.startsWith("not measured");

/**
 * The table of README.md: of each point the figure that is nearest to its limit or farthest beyond it, and how many keep to
 * theirs.
 */
export function formatPoints(rows: readonly Row[]): string {
  return formatTable(
    ["what", "its figure nearest to the limit", "value", "limit", "within", "command"],
    POINTS.map((point) => {
      const all = rowsOfPoint(point, rows);
      const nearest = all.toSorted((a, b) => slackOf(a) - slackOf(b))[0];
      const within = all.filter(({ state }) => state === "reached").length;
      return [
        point.what,
        nearest?.figure ?? "",
        nearest?.value ?? "–",
        nearest?.limit ?? "",
        all.length > 0 ? `${within} of ${all.length}` : "not measured",
        `\`npm run bench -- ${point.benchmark}\``,
      ];
    }),
    new Set(["value"]),
  );
}

/** How far within its limit a figure is, as a share of it; below zero beyond, and least of all when it was not measured. */
function slackOf({ value, limit, state }: Row): number {
  if (state.startsWith("not measured")) return Number.NEGATIVE_INFINITY;
  const [most, bound] = [limit.startsWith("at most"), numberIn(limit)];
  const slack = (most ? bound - numberIn(value) : numberIn(value) - bound) / Math.abs(bound);
  return Number.isFinite(slack) ? slack : 0;
}

/** The first number of a cell. NaN when there is none */
export function numberIn(cell: string): number {
  return Number(/-?[\d,]*\.?\d+/.exec(cell)?.[0].replaceAll(",", "") ?? Number.NaN);
}
