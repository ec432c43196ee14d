import { fromContext } from "../../http/context.server.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/codes-csv.ts";
import { codesCsv } from "./codes-csv.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db, config } = fromContext(args.context).app;
  const search = new URL(args.request.url).searchParams;
  return codesCsv(
    args.request,
    { db, actor },
    { publicOrigin: config.publicOrigin, name: "promo-codes", search },
  );
}
