import { readUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import type { Route } from "./+types/image.ts";
import { photoResponse } from "./photo-response.server.ts";

/** The photo of who is signed in, in this version of it alone: for everybody else the address does not exist. */
export async function loader(args: Route.LoaderArgs) {
  const user = await readUser(args);
  return photoResponse(fromContext(args.context).app.db, user?.id, args.params.version);
}
