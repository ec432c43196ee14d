import type { Queryable } from "../../db/client.server.ts";
import { readWeekly } from "../../figures/read.server.ts";
import { besideBefore, type Period, type Point } from "./period.ts";

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
