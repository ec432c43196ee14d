import { redirect } from "react-router";
import { type App, fromContext } from "../../http/context.server.ts";
import { readBrowserHash } from "../cookies.server.ts";
import { openSession, type RouteArgs, readSession, renewTokenAlone } from "../session.server.ts";
import { findIdentityOwner } from "../users.server.ts";
import type { Route } from "./+types/callback.ts";
import { consumeFlow, type Flow, findRefusedFlow, noteOutcome, popupNonceOf } from "./flow.server.ts";
import { failurePath, KEEP_OPENER, successPath } from "./flow-paths.ts";
import { askProvider } from "./identity.server.ts";
import { isProvider } from "./providers.ts";
import { resolveIdentity } from "./resolve-identity.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const { request, params, context } = args;
  const { provider } = params;
  if (!isProvider(provider)) throw new Response("Not found", { status: 404 });
  const { app, state } = fromContext(context);
  // Facebook sends browsers back with "#_=_"; "#top" is the top of any page. (The router drops an empty one.)
  const fragment = provider === "facebook" ? "#top" : "";
  const query = new URL(request.url).searchParams;
  const browserHash = await readBrowserHash(app.config, request);
  const comeBack = { state: query.get("state") ?? "", provider, browserHash };

  let flow: Flow | null = null;
  try {
    flow = await consumeFlow(app.db, comeBack);
    if (!flow) {
      const isWithoutCookies = !request.headers.has("cookie");
      const refused = await findRefusedFlow(app.db, comeBack, isWithoutCookies);
      const error = isWithoutCookies ? "web-storage-unsupported" : "flow-expired";
      return go(failurePath(refused ?? { provider, ...UNKNOWN_TARGET }, error), fragment);
    }
    const error = await finish(args, app, flow, query);
    // If this fails, the sign-in stays valid, and the popup notifies its opener, too.
    await noteOutcome(app.db, flow, error ?? "ok").catch(noteInLog);
    return go(error ? failurePath(flow, error) : successPath(flow), fragment);
  } catch (error) {
    noteInLog(error);
    if (flow) await noteOutcome(app.db, flow, "internal-error").catch(noteInLog);
    const popupNonce = popupNonceOf(comeBack.state);
    return go(failurePath(flow ?? { provider, ...UNKNOWN_TARGET, popupNonce }, "internal-error"), fragment);
  }

  function noteInLog(error: unknown): void {
    app.log.error({ error, id: state.id, provider }, "a sign-in with a provider broke");
  }
}

const UNKNOWN_TARGET = { intent: "sign_in", popupNonce: null, returnTo: "/dashboard" } as const;

/** @param fragment otherwise a redirect keeps the current one */
function go(path: string, fragment: string) {
  return redirect(path + fragment, { status: 303, headers: KEEP_OPENER });
}

/** @returns why it failed */
async function finish(args: RouteArgs, app: App, flow: Flow, query: URLSearchParams) {
  const session = flow.intent === "sign_in" ? null : await readSession(args);
  if (flow.intent !== "sign_in" && session?.user.id !== flow.userId)
    return session ? "other-account" : "signed-out";

  const identity = await askProvider(app, flow, query);
  if (typeof identity === "string") return identity;
  const resolved = await resolveIdentity(app, { intent: flow.intent, session }, identity);
  if ("error" in resolved) return resolved.error;

  if (flow.intent === "sign_in") {
    const { userId } = resolved;
    const isStillTheirs = async () => (await findIdentityOwner(app.db, identity)) === userId;
    const signedIn = await openSession(args, userId, flow.provider, isStillTheirs);
    if (signedIn !== "signed in") return signedIn === null ? "flow-expired" : "second-factor";
  }
  if (flow.intent === "confirm" && session && !(await renewTokenAlone(args, session.id, "confirmedAt")))
    return "signed-out";
  return null;
}
