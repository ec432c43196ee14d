import { z } from "zod";
import { callableError, handleApiErrors, wrongMethod } from "../../http/callable.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { failure } from "../../http/errors.ts";
import { readForm } from "../../http/form.server.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { refuseOtherAccount } from "../account-mark.server.ts";
import { AUTH_LIMITS } from "../limits.ts";
import { isFresh, type RouteArgs, readSession } from "../session.server.ts";
import type { Route } from "./+types/passkey-options.ts";
import { authenticationOptions, hasPasskeys, registrationOptions } from "./passkeys.server.ts";
import { readPending } from "./show-factor.server.ts";

const optionsForm = z.object({ for: z.enum(["sign_in", "confirm", "add"]) });

const SIGNED_OUT = failure(401, "This sign-in has ended. Log in again.");

/** Valid once, in this session, for some minutes. */
export function action(args: Route.ActionArgs) {
  const { app, state } = fromContext(args.context);
  return handleApiErrors({ app, state }, async () => {
    if (args.request.method !== "POST") return wrongMethod("POST");
    const form = await readForm(args.request).catch(() => new FormData());
    const sent = optionsForm.safeParse(Object.fromEntries(form));
    if (!sent.success || !hasPasskeys(app.config)) return callableError(failure(400, "Not understood"));
    const answer = await withLimit(app, AUTH_LIMITS.passkeyQuestionsByClient, state.client, () =>
      makeOptions(args, sent.data.for),
    );
    if ("ok" in answer) return callableError(answer);
    return Response.json(answer, { headers: { "Cache-Control": "no-store" } });
  });
}

async function makeOptions(args: RouteArgs, purpose: z.infer<typeof optionsForm>["for"]) {
  const { app } = fromContext(args.context);
  const session = await (purpose === "sign_in" ? readPending(args) : readSession(args));
  if (!session) return SIGNED_OUT;
  const other = refuseOtherAccount(app, args.request, session.user);
  if (other) return other;
  if (purpose !== "add") return { options: await authenticationOptions(app, session) };
  if (!session.user.emailVerified) return failure(403, "Confirm your email address first.");
  if (!(await isFresh(app, session.id))) return failure(403, "Reload the page, and confirm it’s you.");
  return { options: await registrationOptions(app, session) };
}

export function loader() {
  return wrongMethod("POST");
}
