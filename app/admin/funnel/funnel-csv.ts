import { fromContext } from "../../http/context.server.ts";
import { csvCell } from "../lists/csv.server.ts";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/funnel-csv.ts";
import { readFunnelQuery } from "./query.ts";
import { readTable } from "./tables.server.ts";

/** The table of the funnel as a file. It has a few hundred rows at most, so it is sent at once. */
export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  const query = readFunnelQuery(new URL(args.request.url).searchParams);
  const { header, rows } = await readTable(fromContext(args.context).app.db, query);
  const lines = [header, ...rows.map(({ name, counts }) => [name, ...counts])];
  return new Response(lines.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join(""), {
    headers: {
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="funnel-by-${query.by}.csv"`,
      "Cache-Control": "no-store",
    },
  });
}
