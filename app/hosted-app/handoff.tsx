import { data, type RouterContextProvider, redirect } from "react-router";
import { findIdentityOwner } from "../auth/identity-owner.server.ts";
import { sendWithinLimits } from "../auth/mail-limit.server.ts";
import { notifyOwner } from "../auth/notify-owner.server.ts";
import { openSession } from "../auth/session.server.ts";
import { type App, fromContext } from "../http/context.server.ts";
import { type Failure, failure, OUR_FAULT } from "../http/errors.ts";
import { readForm } from "../http/form.server.ts";
import { safeReturn } from "../http/safe-path.ts";
import { LIMITS } from "../limits/limits.ts";
import { withLimit } from "../limits/with-limit.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { PrivatePage, privateFormHeaders } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";
import type { Route } from "./+types/handoff.ts";
import { type AddressTaken, acceptHandoff, PROVIDER } from "./accept-handoff.server.ts";

/** Spec §8. */
const FAILURE = "Failed to sign in";
const HOME = "/dashboard";
const NOTHING_SENT = "This page takes over whoever has logged in elsewhere, and nobody was handed over.";
/** The account was deleted, or the way in taken away from it, at this moment. */
const ENDED = failure(403, "This account was deleted or changed a moment ago. Log in there again.");

export const headers = privateFormHeaders;

export function loader({ context }: Route.LoaderArgs) {
  return { loginUrl: requireHandoff(context).loginUrl };
}

/** Opens a session for whom the hosted app hands over (docs/hosted-app.md), or says why not and how to go on. */
export async function action({ request, context }: Route.ActionArgs) {
  const { issuer, hostedApp } = requireHandoff(context);
  const { app, state } = fromContext(context);
  const form = await readForm(request);
  const returnTo = safeReturn(form.get("return_to"), app.config.publicOrigin, HOME);

  const token = form.get("id_token");
  try {
    const answer = await withLimit(app, LIMITS.providerByClient, state.client, takeOver);
    return answer instanceof Response ? answer : showFailure(answer);
  } catch (error) {
    app.log.error({ error, id: state.id }, FAILURE);
    return showFailure(failure(500, OUR_FAULT));
  }

  async function takeOver(): Promise<Response | Failure> {
    const handoff =
      typeof token === "string" && token ? await hostedApp.verify(token) : failure(400, NOTHING_SENT);
    if (!handoff.ok) return handoff;
    const accepted = await acceptHandoff(app.db, issuer, app.config.site, handoff);
    if ("takenEmail" in accepted) return sendReset(app, state.client, accepted);
    if (!accepted.ok) return accepted;
    const { userId } = accepted;
    const identity = { provider: PROVIDER, accountId: handoff.accountId };
    const isStillSo = async () => (await findIdentityOwner(app.db, identity)) === userId;
    const isIn = await openSession({ request, context }, userId, isStillSo);
    return isIn ? redirect(returnTo, 303) : ENDED;
  }

  function showFailure({ message, status, headers }: Failure) {
    return data({ message, returnTo }, { status, headers });
  }
}

/** @returns what to say: that the mail is on its way, or why it has to wait */
function sendReset(app: App, client: string, taken: AddressTaken): Promise<Failure> {
  return sendWithinLimits(app, LIMITS.resetByAddress, client, [taken.takenEmail], async () => {
    await notifyOwner(app, "reset", taken.takenEmail);
    return taken;
  });
}

export default function Handoff({ loaderData, actionData }: Route.ComponentProps) {
  const { origin } = useSite();
  const { message = NOTHING_SENT, returnTo = HOME } = actionData ?? {};
  return (
    <PrivatePage title={FAILURE}>
      <h1>{FAILURE}</h1>
      <p role="alert">{message}</p>
      <ButtonLink href={`${loaderData.loginUrl}?${new URLSearchParams({ return_to: origin + returnTo })}`}>
        Go to login
      </ButtonLink>
    </PrivatePage>
  );
}

/** @throws the 404 page when nobody is handed over here */
function requireHandoff(context: Readonly<RouterContextProvider>) {
  const { config, hostedApp } = fromContext(context).app;
  if (!config.handoff || !hostedApp) throw data(null, { status: 404 });
  return { ...config.handoff, hostedApp };
}
