import type { Queryable } from "../../db/client.server.ts";
import {
  readByCode,
  readFunnel,
  readReferred,
  readViewsByHost,
  readViewsByPage,
  readWeekly,
  STEPS,
  type Step,
  type StepCounts,
} from "../../figures/read.server.ts";
import { besideBefore, type Period, type Point } from "../chart/points.ts";
import { type FunnelQuery, STEP_NAMES } from "./query.ts";

/** A table of the funnel: for the page and for its CSV file. */
export interface FunnelTable {
  /** Of the first column, whose cells are text, and of the others, which are counts. */
  header: [string, ...string[]];
  rows: { name: string; href?: string; counts: number[] }[];
}

/** What the funnel says, by what its URL asks for. Reads sums only. */
export async function readTable(
  db: Queryable,
  { by, weeks }: Pick<FunnelQuery, "by" | "weeks">,
): Promise<FunnelTable> {
  switch (by) {
    case "week":
    case "day": {
      const spans = await readFunnel(db, by, weeks);
      const rows = spans.map(({ start, counts }) => ({ name: start, counts: inOrder(STEPS, counts) }));
      return { header: [by === "week" ? "Week of" : "Day", ...namesOf(STEPS)], rows };
    }
    case "page": {
      const pages = await readViewsByPage(db, weeks);
      return { header: ["Page", "Views"], rows: pages.map(({ name, views }) => ({ name, counts: [views] })) };
    }
    case "host": {
      const { hosts, direct, others } = await readViewsByHost(db, weeks);
      const rows = [...hosts, { name: "Other sites", views: others }, { name: NOBODY, views: direct }];
      return {
        header: ["Came from", "Views"],
        rows: rows.filter(({ views }) => views > 0).map(({ name, views }) => ({ name, counts: [views] })),
      };
    }
    case "code": {
      const codes = await readByCode(db, weeks);
      const rows = codes.map(({ kind, name, id, counts }) => ({
        name: kind === "single" ? "Codes for one use" : kind === "batch" ? `Batch: ${name}` : name,
        ...(kind === "code" && { href: `/admin/codes/${encodeURIComponent(name)}` }),
        ...(kind === "batch" && { href: `/admin/batches/${id}` }),
        counts: inOrder(OF_CODE, counts),
      }));
      return { header: ["Promo code", ...namesOf(OF_CODE)], rows };
    }
    case "referral": {
      const { all, referred } = await readReferred(db, weeks);
      const others = Object.fromEntries(STEPS.map((step) => [step, Math.max(all[step] - referred[step], 0)]));
      return {
        header: ["Came to the waitlist", ...namesOf(OF_REFERRED)],
        rows: [
          { name: "By a friend’s link", counts: inOrder(OF_REFERRED, referred) },
          { name: "By themselves, or never", counts: inOrder(OF_REFERRED, others as StepCounts) },
          { name: "All", counts: inOrder(OF_REFERRED, all) },
        ],
      };
    }
  }
}

/** Earlier steps have no code yet. */
const OF_CODE: Step[] = ["redeemed", "payment_page", "paid", "canceled"];
/** Whose view of a page it was is not known. */
const OF_REFERRED: Step[] = STEPS.filter((step) => step !== "views");

const namesOf = (steps: readonly Step[]) => steps.map((step) => STEP_NAMES[step]);
const inOrder = (steps: readonly Step[], counts: StepCounts) => steps.map((step) => counts[step]);

/** What is said of views that no other site led to. */
const NOBODY = "Directly, or from our own pages";

/**
 * A figure week by week, the oldest first, for a chart.
 *
 * @param of the sum of a week's days, or how things stood on its last one
 */
export async function readPoints(
  db: Queryable,
  { weeks, isCompared }: Period,
  { name, of = "sum", label = "" }: { name: string; of?: "sum" | "last"; label?: string },
): Promise<Point[]> {
  const read = await readWeekly(db, { name, label, weeks: isCompared ? 2 * weeks : weeks, of });
  const figures = read.map(({ start, value }) => ({ label: start, value }));
  return isCompared ? besideBefore(figures) : figures;
}
