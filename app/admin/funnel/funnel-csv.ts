import { fromContext } from "../../http/context.server.ts";
import { CSV_START, csvFile, csvLine, noteDownload } from "../lists/csv.server.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/funnel-csv.ts";
import { readFunnelQuery } from "./query.ts";
import { readTable } from "./tables.server.ts";

/** The table of the funnel as a file. It has a few hundred rows at most, so it is sent at once. */
export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db } = fromContext(args.context).app;
  const { by, weeks } = readFunnelQuery(new URL(args.request.url).searchParams);
  const { header, rows } = await readTable(db, { by, weeks });
  const lines = [header, ...rows.map(({ name, counts }) => [name, ...counts])];
  if (args.request.method !== "HEAD")
    await noteDownload({ db, actor }, "funnel", {
      filters: { by, weeks: `${weeks}` },
      rows: rows.length,
      ended: "whole",
    });
  return csvFile(`funnel-by-${by}`, CSV_START + lines.map(csvLine).join(""));
}
