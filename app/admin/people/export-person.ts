import { data } from "react-router";
import { exportFile } from "../../account/export.server.ts";
import { requireFreshOperator, requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/export-person.ts";
import { notePersonExported } from "./delete-and-export.server.ts";

/** The file comes from a form, because each export is audited. */
export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  throw data(null, { status: 404 });
}

/** The account page's own export, for a person who cannot sign in. */
export async function action(args: Route.ActionArgs) {
  const { app, operator } = await requireFreshOperator(args);
  if (!(await notePersonExported(app.db, operator, args.params.id))) throw data(null, { status: 404 });
  return exportFile(app, args.params.id);
}
