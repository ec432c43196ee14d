import { data } from "react-router";
import { fromContext } from "../../context.server.ts";
import { readSession } from "../session.server.ts";
import type { Route } from "./+types/popup-outcome.ts";
import { readBrowserHash } from "./browser.server.ts";
import { readOutcome } from "./flow.server.ts";
import { POPUP_NONCE } from "./landing.ts";

/** How a popup ended, for an opener whom it could not tell: `{outcome: null | "ok" | code}`. */
export async function loader(args: Route.LoaderArgs) {
  const { app } = fromContext(args.context);
  const nonce = new URL(args.request.url).searchParams.get("nonce") ?? "";
  if (!POPUP_NONCE.test(nonce)) return data({ outcome: null });
  const flow = await readOutcome(app.db, nonce, readBrowserHash(args.request, app.config));
  // The session's cookie may still be on its way, and whoever goes on without it would be sent back.
  const isTooEarly =
    flow?.outcome === "ok" && flow.intent === "sign_in" && (await readSession(args)) === null;
  return data({ outcome: isTooEarly ? null : (flow?.outcome ?? null) });
}
