import { type ClientActionFunctionArgs, data, isRouteErrorResponse } from "react-router";
import type { FormAnswer } from "./route-form.ts";
import { COULD_NOT_REACH, OUR_FAULT } from "./what-failed.ts";

/**
 * The client action of a form page: the server's answer, or, if the server cannot be reached, the reason beside what was typed.
 *
 * @throws redirects, and the error pages of refusals
 */
export async function sendForm({ serverAction }: ClientActionFunctionArgs) {
  const answer = await serverAction<FormAnswer>().catch(
    (error: unknown): FormAnswer => ({
      status: "error",
      error: { "": [whyFailed(error)] },
    }),
  );
  // With an error status the router does not revalidate: the loaders may be out of reach, too.
  return data(answer, answer.status === "error" ? 400 : 200);
}

/**
 * The client action of a page whose buttons send no fields: what the server answers, or why it could not be asked.
 *
 * @throws redirects, and the error pages of refusals
 */
export const sendPress = ({ serverAction }: ClientActionFunctionArgs) =>
  serverAction<{ message: string }>().catch((error: unknown) =>
    data({ message: whyFailed(error) }, { status: 503 }),
  );

/** Why a form could not be sent, in words. @throws what the server did answer: a redirect, or a refusal */
export function whyFailed(error: unknown): string {
  if (error instanceof Response || (isRouteErrorResponse(error) && error.status < 500)) throw error;
  return isUnreachable(error) ? COULD_NOT_REACH : OUR_FAULT;
}

/** Whether a request got no answer at all: browsers throw a `TypeError` then, in words of their own. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && /fetch|network|load failed/i.test(error.message);
}
