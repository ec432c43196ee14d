import { fromContext } from "../../http/context.server.ts";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/codes-csv.ts";
import { codesCsv } from "./codes-csv.server.ts";

export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  const { db, config } = fromContext(args.context).app;
  return codesCsv(db, config.publicOrigin, "promo-codes", new URL(args.request.url).searchParams);
}
