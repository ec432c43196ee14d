import { handleApiErrors } from "../../http/callable.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { readBrowserHash } from "../cookies.server.ts";
import { readPending } from "../second-factor/show-factor.server.ts";
import { readSession } from "../session.server.ts";
import type { Route } from "./+types/popup-outcome.ts";
import { readOutcome } from "./flow.server.ts";
import { POPUP_NONCE } from "./flow-paths.ts";

/** For an opener that was not notified. `hasBegun`: redirected to the provider. */
export function loader(args: Route.LoaderArgs) {
  const { app, state } = fromContext(args.context);
  return handleApiErrors({ app, state }, async () => {
    const nonce = new URL(args.request.url).searchParams.get("nonce") ?? "";
    if (!POPUP_NONCE.test(nonce)) return Response.json({ outcome: null, hasBegun: false });
    const flow = await readOutcome(app.db, nonce, await readBrowserHash(app.config, args.request));
    // The opener's next request may still go out without the session's cookie.
    const isTooEarly =
      (flow?.outcome === "ok" && flow.intent === "sign_in" && (await readSession(args)) === null) ||
      (flow?.outcome === "second-factor" && (await readPending(args)) === null);
    return Response.json({ outcome: isTooEarly ? null : (flow?.outcome ?? null), hasBegun: flow !== null });
  });
}
