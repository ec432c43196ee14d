import { data, redirect } from "react-router";
import { fromContext } from "../../http/context.server.ts";
import { readPromoBatch } from "../../promo/batches.server.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/batch-csv.ts";
import { codesCsv } from "./codes-csv.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db, config } = fromContext(args.context).app;
  const batch = await readPromoBatch(db, args.params.batch);
  if (!batch) throw data(null, { status: 404 });
  // Half a batch would be taken for the whole.
  if (!batch.finishedAt) throw redirect(`/admin/batches/${batch.id}`, 303);
  const search = new URLSearchParams({ batch: batch.id });
  return codesCsv(args.request, { db, actor }, { publicOrigin: config.publicOrigin, name: "batch", search });
}
