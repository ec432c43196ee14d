import { readUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import type { Route } from "./+types/image.ts";
import { photoResponse } from "./photo-response.server.ts";

/** This version of the signed-in user's photo; a 404 for everyone else. */
export async function loader(args: Route.LoaderArgs) {
  const user = await readUser(args);
  return photoResponse(fromContext(args.context).app.db, user?.id, args.params.version);
}
