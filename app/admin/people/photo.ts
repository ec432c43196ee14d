import { photoResponse } from "../../account/photo/photo-response.server.ts";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/photo.ts";

/** The photo of a person, for their page in the console. */
export async function loader(args: Route.LoaderArgs) {
  const { db } = await requireOperator(args);
  const version = new URL(args.request.url).searchParams.get("version") ?? "";
  return photoResponse(db, args.params.id, version);
}
