import { pageResponse } from "../../page/response.ts";
import type { Face } from "../clients.ts";
import type { Call } from "../context.ts";
import { chooserPage, type Mistake } from "./chooser-page.ts";

/** The chooser for one request; with a mistake, once more. */
export function chooserResponse(
  face: Face,
  requestId: string,
  { publicOrigin }: Call,
  mistake?: Mistake,
): Response {
  const page = chooserPage({ face, requestId, host: new URL(publicOrigin).host, mistake });
  // Chromium holds form-action against the redirect after a POST too, so it names where the redirect leads.
  return pageResponse(mistake ? 400 : 200, page, ["'self'", publicOrigin]);
}
