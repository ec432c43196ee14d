import { data } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { NotFound } from "../ui/not-found-notice.tsx";
import type { Route } from "./+types/not-found.ts";

/** A route of its own, so that the 404 page has the site's layout. */
export function loader({ context }: Route.LoaderArgs | Route.ActionArgs) {
  const { refusal } = fromContext(context).state;
  if (refusal) throw data(refusal.message, { status: refusal.status });
  return data(null, { status: 404 });
}

export const action = loader;

export default NotFound;
