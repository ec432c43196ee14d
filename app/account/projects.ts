import { wrongMethod } from "../http/callable.server.ts";
import { fromContext } from "../http/context.server.ts";
import type { Route } from "./+types/projects.ts";

/** Spec §7: client libraries ask for the hosts before they open a popup. */
export function loader({ context }: Route.LoaderArgs) {
  const { projectId, authorizedDomains } = fromContext(context).app.config;
  return Response.json({ projectId, authorizedDomains });
}

export function action() {
  return wrongMethod("GET, HEAD");
}
