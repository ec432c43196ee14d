import { wrongMethod } from "../http/callable.server.ts";
import { fromContext } from "../http/context.server.ts";
import type { Route } from "./+types/projects.ts";

/** The hosts on which people may sign in; client libraries ask before they open a popup (spec §7). */
export function loader({ context }: Route.LoaderArgs) {
  const { projectId, authorizedDomains } = fromContext(context).app.config;
  return Response.json({ projectId, authorizedDomains });
}

export function action() {
  return wrongMethod("GET, HEAD");
}
