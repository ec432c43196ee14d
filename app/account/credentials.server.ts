import type { SubmissionResult } from "@conform-to/react";
import { APIError } from "better-auth/api";
import { eq } from "drizzle-orm";
import { data, redirect } from "react-router";
import type { RequestState } from "../context.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { user } from "../db/schema.ts";
import { safePath } from "../http/safe-path.ts";
import type { Log } from "../log.server.ts";
import { ADDRESS_TAKEN } from "./credentials.ts";

/** Where a person goes who came to sign in or up for nothing in particular. */
const HOME = "/dashboard";
const OUR_FAULT = "Something broke on our side. Try again in a moment.";

/**
 * Runs a call to Better Auth: its cookies go on the answer, and the person goes back to where they wanted to be.
 *
 * @returns the form again with the reason when the call was refused; the page leads it with spec §8's message
 * @throws the redirect when it was not
 */
export async function signIn(
  { state, log }: { state: RequestState; log: Log },
  form: {
    returnTo: unknown;
    failure: string;
    reply: (errors: string[]) => SubmissionResult;
    /** Asked when the call fails without a reason: a twin of this very form may have been first. */
    isTaken?: () => Promise<boolean>;
  },
  call: () => Promise<{ headers: Headers }>,
) {
  try {
    const { headers } = await call();
    state.setCookies.push(...headers.getSetCookie());
  } catch (error) {
    const reason = reasonOf(error) ?? ((await form.isTaken?.()) ? ADDRESS_TAKEN : null);
    if (!reason) log.error({ error, id: state.id }, form.failure);
    return data(form.reply([reason ?? OUR_FAULT]), { status: reason ? 400 : 500 });
  }
  return redirect(safePath(form.returnTo, HOME), 303);
}

/** Whether an account has this address; when that cannot be found out, no. */
export async function isAddressTaken(db: Queryable, email: string): Promise<boolean> {
  const query = db.select({ id: user.id }).from(user).where(eq(user.email, email.toLowerCase()));
  return query.then(
    (found) => found.length > 0,
    () => false,
  );
}

/** Why the person cannot get in, or `null` when it is our fault. */
function reasonOf(error: unknown): string | null {
  switch (error instanceof APIError && error.body?.code) {
    case "INVALID_EMAIL_OR_PASSWORD":
      return "This email address and password do not belong together. Check both and try again.";
    case "USER_ALREADY_EXISTS":
    case "USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL":
      return ADDRESS_TAKEN;
    default:
      return null;
  }
}
