import { fromContext } from "../../http/context.server.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/file.ts";
import { FILES } from "./files.server.ts";

/** A list of the console as a file: which one, `routes.ts` says by its address. */
export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { app } = fromContext(args.context);
  const file = FILES[args.pattern];
  if (!file) throw new Error(`no list for ${args.pattern}`);
  const { request, params } = args;
  return file({ app, actor, request, params, search: new URL(request.url).searchParams });
}
