import { Outlet } from "react-router";
import type { RouteHandle } from "../ui/route-handle.ts";
import type { Route } from "./+types/console.ts";
import { requireOperator } from "./operator.server.ts";

export const handle: RouteHandle = { styles: "console" };

/** Who is at the console, for its frame. Each page below asks for its operator itself. */
export async function loader(args: Route.LoaderArgs) {
  const { name } = await requireOperator(args);
  return { operator: name };
}

export default function Console() {
  return <Outlet />;
}
