import { fromContext } from "../../http/context.server.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/invitation-csv.ts";
import { readMembersQuery } from "./member-list.server.ts";
import { membersCsv } from "./members-csv.server.ts";

/** The people of one invitation as a file. */
export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db } = fromContext(args.context).app;
  const { searchParams } = new URL(args.request.url);
  searchParams.set("invitation", args.params.invitation);
  return membersCsv(args.request, { db, actor }, readMembersQuery(searchParams));
}
