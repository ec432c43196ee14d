import { callableError } from "./callable.server.ts";
import { failure, OUR_FAULT } from "./errors.ts";
import { isJsonEndpoint } from "./origin-check.ts";

/** React Router's words when a route that is no page throws, or takes no such method. */
const BARE_WORDS = /^(?:\{"message":")?Unexpected Server Error(?:"\})?$/;

/**
 * The answer as it is, unless it is React Router's last resort, which tells nobody anything: then to a program in the
 * callable's words, to a person in plain ones with the number under which it is logged. For routes that are no pages;
 * one whose failure people are likely to see answers for itself.
 */
export async function describeBareError(
  request: Request,
  answer: Response,
  { id, supportEmail }: { id: string; supportEmail: string },
): Promise<Response> {
  const { status } = answer;
  if ((status !== 500 && status !== 405) || !(await isBare(answer))) return answer;
  if (isJsonEndpoint(request) && status === 500) return callableError(failure(500, OUR_FAULT));
  const words =
    status === 405
      ? `This address takes no ${request.method}.`
      : `Unexpected Application Error!\n\n${OUR_FAULT} If it keeps happening, email ${supportEmail} and quote this number: ${id}`;
  return new Response(`${words}\n`, {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
}

async function isBare(answer: Response): Promise<boolean> {
  const type = answer.headers.get("Content-Type");
  if (type !== "text/plain" && type !== "application/json") return false;
  return BARE_WORDS.test(await answer.clone().text());
}
