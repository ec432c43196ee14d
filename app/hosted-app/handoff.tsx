import { data, type RouterContextProvider, redirect } from "react-router";
import { AUTH_LIMITS } from "../auth/limits.ts";
import { notifyOwner, sendWithinLimits } from "../auth/mail-links.server.ts";
import { openSession, pathAfter } from "../auth/session.server.ts";
import { findIdentityOwner } from "../auth/users.server.ts";
import { fromContext } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { readForm } from "../http/form.server.ts";
import { pathOnSite, safePath } from "../http/safe-path.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { PrivatePage, privateFormHeaders } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";
import { OUR_FAULT } from "../ui/what-failed.ts";
import type { Route } from "./+types/handoff.ts";
import { acceptHandoff, HOSTED_APP_PROVIDER } from "./accept-handoff.server.ts";

/** Spec §8. */
const SIGN_IN_FAILED = "Failed to sign in";
const DEFAULT_RETURN = "/dashboard";
const NO_TOKEN = "This page signs you in when you come from the app. Log in there first.";
const ACCOUNT_CHANGED = failure(403, "This account was just deleted or changed. Log in there again.");

export const headers = privateFormHeaders;

export function loader({ context }: Route.LoaderArgs) {
  return { loginUrl: requireHandoff(context).loginUrl };
}

/** docs/integrate.md. */
export async function action({ request, context }: Route.ActionArgs) {
  const { issuer, hostedApp } = requireHandoff(context);
  const { app, state } = fromContext(context);
  const form = await readForm(request);
  const returnTo = safePath(pathOnSite(form.get("return_to"), app.config.publicOrigin), DEFAULT_RETURN);

  const token = form.get("id_token");
  try {
    const answer = await withLimit(app, AUTH_LIMITS.providerByClient, state.client, signIn);
    return answer instanceof Response ? answer : respondWith(answer);
  } catch (error) {
    app.log.error({ error, id: state.id }, SIGN_IN_FAILED);
    return respondWith(failure(500, OUR_FAULT));
  }

  async function signIn(): Promise<Response | Failure> {
    const handoff =
      typeof token === "string" && token ? await hostedApp.verify(token) : failure(400, NO_TOKEN);
    if (!handoff.ok) return handoff;
    const accepted = await acceptHandoff(app.db, issuer, app.config.site, handoff);
    if ("takenEmail" in accepted) {
      const { takenEmail } = accepted;
      // The failure to show: that the mail was sent, or why it has to wait.
      return sendWithinLimits(app, AUTH_LIMITS.resetByAddress, state.client, [takenEmail], async () => {
        await notifyOwner(app, "reset", takenEmail);
        return accepted;
      });
    }
    if (!accepted.ok) return accepted;
    const { userId } = accepted;
    const identity = { provider: HOSTED_APP_PROVIDER, accountId: handoff.accountId };
    const isStillConnected = async () => (await findIdentityOwner(app.db, identity)) === userId;
    const signedIn = await openSession({ request, context }, userId, HOSTED_APP_PROVIDER, isStillConnected);
    return signedIn ? redirect(pathAfter(signedIn, returnTo), 303) : ACCOUNT_CHANGED;
  }

  function respondWith({ message, status, headers }: Failure) {
    return data({ message, returnTo }, { status, headers });
  }
}

export default function Handoff({ loaderData, actionData }: Route.ComponentProps) {
  const { origin } = useSite();
  const { message = NO_TOKEN, returnTo = DEFAULT_RETURN } = actionData ?? {};
  return (
    <PrivatePage title={SIGN_IN_FAILED}>
      <h1 className="text-[2rem]">{SIGN_IN_FAILED}</h1>
      <p role="alert">{message}</p>
      <ButtonLink href={`${loaderData.loginUrl}?${new URLSearchParams({ return_to: origin + returnTo })}`}>
        Go to login
      </ButtonLink>
    </PrivatePage>
  );
}

function requireHandoff(context: Readonly<RouterContextProvider>) {
  const { config, hostedApp } = fromContext(context).app;
  if (!config.handoff || !hostedApp) throw data(null, { status: 404 });
  return { ...config.handoff, hostedApp };
}
