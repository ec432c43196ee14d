import { type ClientActionFunctionArgs, data, isRouteErrorResponse } from "react-router";
import type { FormAnswer } from "./route-form.ts";
import { COULD_NOT_REACH, OUR_FAULT } from "./what-failed.ts";

/** The server's answer, or why it cannot be reached, beside what was typed. @throws redirects, and the error pages of refusals */
export async function sendForm({ serverAction }: ClientActionFunctionArgs) {
  const answer = await serverAction<FormAnswer>().catch(
    (error: unknown): FormAnswer => ({
      status: "error",
      error: { "": [whyFailed(error)] },
    }),
  );
  // An error status avoids revalidation: the loaders may be out of reach, too.
  return data(answer, answer.status === "error" ? 400 : 200);
}

/** For a page whose buttons send no fields. @throws as `sendForm` */
export const sendPress = ({ serverAction }: ClientActionFunctionArgs) =>
  serverAction<{ message: string }>().catch((error: unknown) =>
    data({ message: whyFailed(error) }, { status: 503 }),
  );

/** @throws what the server did answer: a redirect, or a refusal */
export function whyFailed(error: unknown): string {
  if (error instanceof Response || (isRouteErrorResponse(error) && error.status < 500)) throw error;
  return isUnreachable(error) ? COULD_NOT_REACH : OUR_FAULT;
}

/** Browsers then throw a `TypeError`, with differing messages. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof TypeError && /fetch|network|load failed/i.test(error.message);
}
