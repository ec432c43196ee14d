import { wrongMethod } from "../http/callable.server.ts";
import { fromContext } from "../http/context.server.ts";
import type { Route } from "./+types/projects.ts";

/** What a client library asks before it opens a sign-in popup: on which hosts people may sign in (spec §7). */
export function loader({ context }: Route.LoaderArgs) {
  const { projectId, authorizedDomains } = fromContext(context).app.config;
  return Response.json({ projectId, authorizedDomains });
}

export function action() {
  return wrongMethod("GET, HEAD");
}
