import { fromContext } from "../../http/context.server.ts";
import { withLimit } from "../../limits/rate-limit.server.ts";
import { isMarkOfAnother } from "../account-mark.server.ts";
import { ensureFlowCookie } from "../cookies.server.ts";
import { AUTH_LIMITS } from "../limits.ts";
import { isFresh, type RouteArgs, readSession } from "../session.server.ts";
import type { ConnectedProvider } from "./connect.server.ts";
import { beginFlow } from "./flow.server.ts";
import type { FlowTarget } from "./flow-paths.ts";
import type { SignInError } from "./sign-in-errors.ts";

type Start = { url: URL } | { error: SignInError };

/** @param mark whose page asks for it, where no form has been judged */
export async function startSignIn(
  args: RouteArgs,
  target: FlowTarget,
  mark: string | null = null,
): Promise<Start> {
  const { app, state } = fromContext(args.context);
  const connection = app.providers[target.provider];
  const isSignInElsewhere = target.intent === "sign_in" && app.config.site.hostedAppUrl !== null;
  if (!connection.isOn || isSignInElsewhere) return { error: "provider-off" };
  try {
    const started = await withLimit(app, AUTH_LIMITS.providerByClient, state.client, () => begin(connection));
    return "ok" in started ? { error: "too-many-tries" } : started;
  } catch (error) {
    app.log.error({ error, id: state.id, provider: target.provider }, "a sign-in with a provider broke");
    return { error: "internal-error" };
  }

  async function begin(connection: ConnectedProvider): Promise<Start> {
    const session = target.intent === "sign_in" ? null : await readSession(args);
    if (target.intent !== "sign_in" && !session) return { error: "signed-out" };
    if (session && isMarkOfAnother(app, mark, session.user)) return { error: "other-account" };
    if (target.intent === "connect" && session) {
      if (!session.user.emailVerified) return { error: "email-unverified" };
      if (!(await isFresh(app, session.id))) return { error: "confirm-first" };
    }
    const { browserHash, setCookie } = await ensureFlowCookie(app.config, args.request);
    const userId = session?.user.id ?? null;
    const url = await beginFlow(app, connection, { ...target, userId, browserHash });
    if (!url) return { error: "flow-expired" };
    state.setCookies.push(setCookie);
    return { url };
  }
}
