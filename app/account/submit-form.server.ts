import type { SubmissionResult } from "@conform-to/react";
import { createContext, data } from "react-router";
import type { RouteArgs } from "../auth/session.server.ts";
import { fromContext } from "../http/context.server.ts";
import { type Failure, type FieldFailure, OUR_FAULT } from "../http/errors.ts";
import { describeFault } from "../http/unavailable.server.ts";

/** Passwords are never sent back. */
const SECRETS = ["password", "current_password"];

/** The form again: what was typed, what is wrong with it, and how long it is of no use to send it again. */
export type FormAnswer = SubmissionResult<string[]> & { retryAfterSeconds?: number };

/** Whether this request's form broke on our side. Its page is drawn around the answer, whatever else cannot be loaded. */
export const hasBrokenContext = createContext(false);

/**
 * Does what a form asks for and answers: with the redirect it leads to, or with the form again, what was typed still in
 * it, and the reason. What breaks is logged and said to be our fault.
 *
 * @param failure the spec's message for what failed, which the page leads with and the log names
 * @param work finds out who asks, too, so that what was typed is kept when nobody can say
 */
export async function answerForm(
  { context }: RouteArgs,
  submission: Replying,
  failure: string,
  work: () => Promise<Response | Failure | FieldFailure | ReturnType<typeof refuse>>,
) {
  try {
    const done = await work();
    return "ok" in done && !(done instanceof Response) ? refuse(submission, done) : done;
  } catch (error) {
    if (error instanceof Response) throw error;
    const fault = describeFault(fromContext(context), error, failure, OUR_FAULT);
    context.set(hasBrokenContext, true);
    return refuse(submission, fault);
  }
}

interface Replying {
  reply(options: ReplyOptions): SubmissionResult<string[]>;
}

interface ReplyOptions {
  formErrors?: string[];
  fieldErrors?: Record<string, string[]>;
  hideFields?: string[];
}

/** The form again, with what is wrong with it. */
export function refuse(submission: Replying, refusal?: Failure | FieldFailure) {
  if (!refusal) return data<FormAnswer>(submission.reply({ hideFields: SECRETS }), { status: 400 });
  const { message, status, headers, retryAfterSeconds } = refusal;
  const errors =
    "field" in refusal ? { fieldErrors: { [refusal.field]: [message] } } : { formErrors: [message] };
  const reply = submission.reply({ ...errors, hideFields: SECRETS });
  return data<FormAnswer>({ ...reply, retryAfterSeconds }, { status, headers });
}
