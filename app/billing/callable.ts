import { callableError, callableResult, readCallable } from "../http/callable.server.ts";
import { runFunction } from "../http/callable-run.server.ts";
import { fromContext } from "../http/context.server.ts";
import { failure } from "../http/errors.ts";
import { checkApp } from "../tokens/app-check.server.ts";
import { readCaller } from "../tokens/caller.server.ts";
import type { Route } from "./+types/callable.ts";
import { createCheckoutSession } from "./checkout.server.ts";
import { BILLING_MESSAGES } from "./plans.ts";

/** The only one (spec §7). */
const FUNCTION = "createCheckoutSession";
const NO_SUCH_FUNCTION = failure(501, "There is no such function");

export async function action(args: Route.ActionArgs) {
  const { request, params } = args;
  if (params.name !== FUNCTION) return callableError(NO_SUCH_FUNCTION);
  const { app, state } = fromContext(args.context);
  const { signal } = request;
  const call = { app, state, name: FUNCTION, signal, failed: BILLING_MESSAGES.checkoutFailed };
  return runFunction(call, () => callCreateCheckoutSession(args));
}

async function callCreateCheckoutSession({ request, context }: Route.ActionArgs): Promise<Response> {
  const { app } = fromContext(context);
  const call = await readCallable(request);
  if (!call.ok) return callableError(call);
  const checked = await checkApp(app, request);
  if (!checked.ok) return callableError(checked);
  const caller = await readCaller({ request, context });
  if (!caller.ok) return callableError(caller);
  const checkout = await createCheckoutSession(app, caller.user, call.data);
  return checkout.ok ? callableResult({ url: checkout.url }) : callableError(checkout);
}

export function loader({ params }: Route.LoaderArgs) {
  return callableError(
    params.name === FUNCTION ? failure(400, "Call this function with POST") : NO_SUCH_FUNCTION,
  );
}
