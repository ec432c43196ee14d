import { fromContext } from "../../http/context.server.ts";
import { withLimit } from "../../limits/with-limit.server.ts";
import { AUTH_LIMITS } from "../limits.ts";
import { isFresh, type RouteArgs, readSession } from "../session.server.ts";
import type { ConnectedProvider } from "./connect.server.ts";
import { beginFlow } from "./flow.server.ts";
import { recogniseBrowser } from "./flow-cookie.server.ts";
import type { Journey } from "./flow-paths.ts";
import type { SignInError } from "./sign-in-errors.ts";

type Start = { url: URL } | { error: SignInError };

/** Begins a journey to a provider, if whoever asks may. @returns where their browser goes, or why it does not */
export async function startSignIn(args: RouteArgs, journey: Journey): Promise<Start> {
  const { app, state } = fromContext(args.context);
  const connection = app.providers[journey.provider];
  const isSignInElsewhere = journey.intent === "sign_in" && app.config.site.hostedAppUrl !== null;
  if (!connection.isOn || isSignInElsewhere) return { error: "provider-off" };
  try {
    const started = await withLimit(app, AUTH_LIMITS.providerByClient, state.client, () =>
      beginJourney(args, connection, journey),
    );
    return "ok" in started ? { error: "too-many-tries" } : started;
  } catch (error) {
    app.log.error({ error, id: state.id, provider: journey.provider }, "a sign-in with a provider broke");
    return { error: "internal-error" };
  }
}

async function beginJourney(
  args: RouteArgs,
  connection: ConnectedProvider,
  journey: Journey,
): Promise<Start> {
  const { app, state } = fromContext(args.context);
  const session = journey.intent === "sign_in" ? null : await readSession(args);
  if (journey.intent !== "sign_in" && !session) return { error: "signed-out" };
  if (journey.intent === "connect" && session) {
    if (!session.user.emailVerified) return { error: "email-unverified" };
    if (!(await isFresh(app, session.id))) return { error: "confirm-first" };
  }

  const browser = recogniseBrowser(args.request, app.config);
  const userId = session?.user.id ?? null;
  const url = await beginFlow(app, connection, { ...journey, userId, browserHash: browser.hash });
  if (!url) return { error: "flow-expired" };
  state.setCookies.push(browser.setCookie);
  return { url };
}
