import type { Submission } from "@conform-to/dom";
import { parseWithZod } from "@conform-to/zod/v4";
import { type ActionFunctionArgs, createContext, data } from "react-router";
import type { z } from "zod";
import type { FormAnswer } from "../ui/route-form.ts";
import { OUR_FAULT } from "../ui/what-failed.ts";
import { fromContext } from "./context.server.ts";
import type { Failure, FieldFailure } from "./errors.ts";
import { readForm } from "./form.server.ts";
import { toFailure } from "./unavailable.server.ts";

/** Never sent back. */
export const SECRETS = ["password", "current_password", "otp", "passkey"];

/** This request's form failed because of us: its page renders around the answer, whatever data are missing. */
export const hasBrokenContext = createContext(false);

type ActionArgs = Pick<ActionFunctionArgs, "request" | "context">;

interface Submit<Schema extends z.ZodType, Sender> {
  schema: Schema;
  /** If it has been read already. */
  form?: FormData;
  /** The spec's message for what failed, for the log. */
  failure: string;
  /** Before anything in the form is judged; may throw a redirect. */
  sender?: (args: ActionArgs) => Promise<Sender>;
  /** For a form whose fields depend on its sender; `schema` is used until that is known. */
  schemaFor?: (sender: Sender) => Schema;
  /** @returns the redirect it leads to, or why it failed */
  work: (value: z.output<Schema>, sender: Sender) => Promise<Response | Failure | FieldFailure>;
}

/**
 * A redirect, or the form again with what was typed. Exceptions are logged, and the form says that the fault is ours.
 * @throws the 400 page for a body that is not a form of ours; responses that `sender` or `work` throw
 */
export async function submitForm<Schema extends z.ZodType, Sender>(
  args: ActionArgs,
  { schema, form: read, failure, sender, schemaFor, work }: Submit<Schema, Sender>,
) {
  const form = read ?? (await readForm(args.request));
  let submission = parseWithZod(form, { schema });
  try {
    const by = (await sender?.(args)) as Sender;
    if (schemaFor) submission = parseWithZod(form, { schema: schemaFor(by) });
    if (submission.status !== "success") return formAgain(submission);
    const done = await work(submission.value, by);
    return done instanceof Response ? done : formAgain(submission, done);
  } catch (error) {
    // A redirect, or a page such as the 404 one: `data` is no Response until it is rendered.
    if (!(error instanceof Error)) throw error;
    const fault = toFailure(fromContext(args.context), error, failure, OUR_FAULT);
    args.context.set(hasBrokenContext, true);
    return formAgain(submission, fault);
  }
}

function formAgain(submission: Submission<unknown>, failed?: Failure | FieldFailure) {
  if (!failed) return data<FormAnswer>(submission.reply({ hideFields: SECRETS }), { status: 400 });
  const { message, status, headers, retryAfterSeconds } = failed;
  const errors =
    "field" in failed ? { fieldErrors: { [failed.field]: [message] } } : { formErrors: [message] };
  const reply = submission.reply({ ...errors, hideFields: SECRETS });
  return data<FormAnswer>({ ...reply, retryAfterSeconds }, { status, headers });
}
