import { fromContext } from "../../http/context.server.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/members-csv.ts";
import { readMembersQuery } from "./member-list.server.ts";
import { membersCsv } from "./members-csv.server.ts";

/** The people on the list as a file. */
export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db } = fromContext(args.context).app;
  const query = readMembersQuery(new URL(args.request.url).searchParams);
  return membersCsv(args.request, { db, actor }, query);
}
