import { data } from "react-router";
import { exportFile } from "../../account/export.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { requireFreshOperator, requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/export-person.ts";
import { notePersonExported } from "./delete-and-export.server.ts";

/** Nothing to see here: the file is asked for by a form, because asking for it is written down. */
export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  throw data(null, { status: 404 });
}

/** The file of the account page's own export, for a person who cannot sign in. */
export async function action(args: Route.ActionArgs) {
  const operator = await requireFreshOperator(args);
  const { app } = fromContext(args.context);
  if (!(await notePersonExported(app.db, operator, args.params.id))) throw data(null, { status: 404 });
  return exportFile(app, args.params.id);
}
