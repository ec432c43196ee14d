import { type Site, supportAddress } from "../ui/site.ts";
import { OUR_FAULT } from "../ui/what-failed.ts";
import { callableError } from "./callable.server.ts";
import { failure } from "./errors.ts";
import { isJsonEndpoint } from "./origin-check.ts";

const BARE_BODY = /^(?:\{"message":")?Unexpected Server Error(?:"\})?$/;

/** Replaces React Router's generic response of a resource route by a callable error, or plain text with the logged id. */
export async function describeBareError(
  request: Request,
  response: Response,
  { id, site }: { id: string; site: Pick<Site, "supportEmail" | "origin"> },
): Promise<Response> {
  const { status } = response;
  if ((status !== 500 && status !== 405) || !(await isBare(response))) return response;
  if (isJsonEndpoint(request) && status === 500) return callableError(failure(500, OUR_FAULT));
  const text =
    status === 405
      ? `This URL does not accept ${request.method} requests.`
      : `Unexpected Application Error!\n\n${OUR_FAULT} If it keeps happening, ${site.supportEmail ? "email" : "use"} ${supportAddress(site)} and quote this number: ${id}`;
  return new Response(`${text}\n`, {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
}

async function isBare(response: Response): Promise<boolean> {
  const type = response.headers.get("Content-Type");
  if (type !== "text/plain" && type !== "application/json") return false;
  return BARE_BODY.test(await response.clone().text());
}
