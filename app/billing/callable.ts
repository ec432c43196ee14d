import { callableError, callableFault, callableResult, readCallable } from "../http/callable.server.ts";
import { fromContext } from "../http/context.server.ts";
import { failure } from "../http/errors.ts";
import { readCaller } from "../tokens/caller.server.ts";
import type { Route } from "./+types/callable.ts";
import { createCheckoutSession } from "./checkout.server.ts";
import { BILLING_MESSAGES } from "./plans.ts";

/** Callable functions of the default region (spec §7, §9). */
export async function action({ request, params, context }: Route.ActionArgs) {
  if (params.name !== "createCheckoutSession")
    return callableError(failure(404, "There is no such function"));
  const call = await readCallable(request);
  if (!call.ok) return callableError(call);
  const { app, state } = fromContext(context);
  try {
    const caller = await readCaller({ request, context });
    if (!caller.ok) return callableError(caller);
    const checkout = await createCheckoutSession(app, caller.user, call.data);
    return checkout.ok ? callableResult({ url: checkout.url }) : callableError(checkout);
  } catch (error) {
    return callableFault(
      { app, state },
      error,
      "createCheckoutSession failed",
      BILLING_MESSAGES.checkoutFailed,
    );
  }
}

export function loader() {
  return callableError(failure(400, "Call this function with POST"));
}
