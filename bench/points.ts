import { formatTable, type Row } from "./table.ts";

/** One of the eight promises about speed that README.md shows, and whose figures they are. */
interface Point {
  what: string;
  benchmarks: string[];
  /** Which of their figures; without it, all that have a limit. */
  figures?: RegExp;
  /** The figures that are told first. */
  foremost: RegExp;
}

const ACCOUNT_PAGE = /\/(login|register|dashboard|subscription|account)\b/;
const PUBLIC_PAGE = new RegExp(`^(?!.*${ACCOUNT_PAGE.source})`);

const POINTS: Point[] = [
  {
    what: "A first visit, on a slow phone",
    ...{ benchmarks: ["first-visit"], figures: PUBLIC_PAGE, foremost: /paint/ },
  },
  {
    what: "Account pages, on the same phone",
    ...{ benchmarks: ["first-visit"], figures: ACCOUNT_PAGE, foremost: /paint/ },
  },
  { what: "Public pages from memory", benchmarks: ["pages"], foremost: /bare/ },
  { what: "Rendered pages", benchmarks: ["rendered"], foremost: /bare/ },
  { what: "Redeeming promo codes", benchmarks: ["redeem"], foremost: /hot/ },
  { what: "Webhooks, and what follows from them", benchmarks: ["webhooks"], foremost: /pgbench/ },
  {
    what: "Flat from a thousand to ten million rows",
    ...{ benchmarks: ["growth", "waitlist", "statements"], foremost: /p99/ },
  },
  { what: "The cost of standing there", benchmarks: ["cost"], foremost: /memory/i },
];

/** The rows with a limit that belong to a point. */
function rowsOfPoint({ benchmarks, figures }: Point, rows: readonly Row[]): Row[] {
  return rows.filter(
    (row) =>
      benchmarks.includes(row.benchmark) &&
      (row.limit !== "" ? (figures?.test(row.figure) ?? true) : isWithout(row)),
  );
}

const isWithout = ({ state }: Row) => state.startsWith("not measured");

/**
 * The table of README.md: of each point how many figures keep to their limit, and one of them: the worst that does not, or of the
 * foremost the nearest to its limit.
 */
export function formatPoints(rows: readonly Row[]): string {
  return formatTable(
    ["what", "its figure nearest to a limit", "value", "limit", "within", "command"],
    POINTS.map((point) => {
      const all = rowsOfPoint(point, rows);
      const within = all.filter(({ state }) => state === "reached");
      const nearest =
        nearestOf(all.filter((row) => !within.includes(row))) ??
        nearestOf(all.filter(({ figure }) => point.foremost.test(figure))) ??
        nearestOf(all);
      return [
        point.what,
        nearest?.figure ?? "",
        nearest?.value ?? "–",
        nearest?.limit ?? "",
        all.length > 0 ? `${within.length} of ${all.length}` : "not measured",
        point.benchmarks.map((benchmark) => `\`npm run bench -- ${benchmark}\``).join(", "),
      ];
    }),
    new Set(["value"]),
  );
}

const nearestOf = (rows: readonly Row[]) => rows.toSorted((a, b) => slackOf(a) - slackOf(b))[0];

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
