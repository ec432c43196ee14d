import type { SubmissionResult } from "@conform-to/react";
import { data } from "react-router";
import { fromContext } from "../context.server.ts";
import type { Failure } from "../http/errors.ts";
import type { RouteArgs } from "./session.server.ts";

const OUR_FAULT = "Something broke on our side. Try again in a moment.";

/** What is wrong with one field, found out on the server. */
export interface FieldFailure extends Failure {
  field: string;
}

/** Passwords are never sent back. */
const SECRETS = ["password", "current_password"];

/**
 * Does what a form asks for and answers: with the redirect it leads to, or with the form again, what was typed still in
 * it, and the reason. What breaks is logged and said to be our fault.
 *
 * @param failure the spec's message for what failed, which the page leads with and the log names
 */
export async function answerForm(
  { context }: RouteArgs,
  submission: { reply(options: ReplyOptions): SubmissionResult<string[]> },
  failure: string,
  work: () => Promise<Response | Failure | FieldFailure>,
) {
  try {
    const done = await work();
    return done instanceof Response ? done : refuse(submission, done);
  } catch (error) {
    if (error instanceof Response) throw error;
    const { app, state } = fromContext(context);
    app.log.error({ error, id: state.id }, failure);
    return data(submission.reply({ formErrors: [OUR_FAULT], hideFields: SECRETS }), { status: 500 });
  }
}

interface ReplyOptions {
  formErrors?: string[];
  fieldErrors?: Record<string, string[]>;
  hideFields?: string[];
}

/** The form again, with what is wrong with it. */
export function refuse(
  submission: { reply(options: ReplyOptions): SubmissionResult<string[]> },
  refusal?: Failure | FieldFailure,
) {
  if (!refusal) return data(submission.reply({ hideFields: SECRETS }), { status: 400 });
  const { message, status } = refusal;
  const errors =
    "field" in refusal ? { fieldErrors: { [refusal.field]: [message] } } : { formErrors: [message] };
  return data(submission.reply({ ...errors, hideFields: SECRETS }), { status });
}
