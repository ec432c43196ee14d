import { data } from "react-router";
import { exportFile } from "../../account/export.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { requireFreshOperator, requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/export-person.ts";
import { notePersonExported } from "./export-person.server.ts";

/** Nothing to see here: the file is asked for by a form, because asking for it is written down. */
export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  throw data(null, { status: 404 });
}

/** The same file as their own button gives them, for an operator to send to somebody who cannot sign in. */
export async function action(args: Route.ActionArgs) {
  const operator = await requireFreshOperator(args);
  const { app } = fromContext(args.context);
  if (!(await notePersonExported(app.db, operator, args.params.id))) throw data(null, { status: 404 });
  return exportFile(app, args.params.id);
}
