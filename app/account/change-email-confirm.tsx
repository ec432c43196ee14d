import { isRouteErrorResponse, redirect, useLocation } from "react-router";
import { confirmByLink, readConfirmation } from "../auth/confirm-link.server.ts";
import { ConfirmForm, DeadLink } from "../auth/link-page.tsx";
import { fromContext } from "../http/context.server.ts";
import { loginPath } from "../http/safe-path.ts";
import { ButtonLink } from "../ui/button.tsx";
import { PrivatePage, privateFormHeaders } from "../ui/private-page.tsx";
import type { Route } from "./+types/change-email-confirm.ts";
import { changeEmail } from "./change-email.server.ts";

export const headers = privateFormHeaders;

export async function loader(args: Route.LoaderArgs) {
  const confirmation = await readConfirmation(args, "change_email");
  if (!confirmation) throw new Response(null, { status: 410 });
  return confirmation;
}

export async function action(args: Route.ActionArgs) {
  const { app } = fromContext(args.context);
  const outcome = await confirmByLink(args, "change_email", (token, proof) => changeEmail(app, token, proof));
  if (outcome === "changed") return redirect("/account/email/changed", 303);
  if (outcome === "taken") throw new Response(null, { status: 409 });
  if (outcome === "dead") throw new Response(null, { status: 410 });
  return outcome;
}

export default function ConfirmEmail({ loaderData, actionData }: Route.ComponentProps) {
  const { email } = loaderData;
  const { pathname, search } = useLocation();
  return (
    <PrivatePage title="Confirm your new email address">
      <h1>Confirm your new email address</h1>
      <ConfirmForm
        requiredProof={actionData?.requiredProof ?? loaderData.requiredProof}
        loginPath={loginPath(pathname + search)}
        failure={actionData?.message}
        label="Use this email address"
        pendingLabel="Changing…"
        reloadDocument
      >
        <p>
          Use <strong className="[overflow-wrap:anywhere]">{email}</strong> for your account from now on?
        </p>
      </ConfirmForm>
      <p className="text-quiet">Didn’t ask for this? Close this page and nothing changes.</p>
    </PrivatePage>
  );
}

/** A dead link (410), or one whose address has an account by now (409). */
export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.status === 410) return <DeadLink purpose="change_email" />;
  if (!isRouteErrorResponse(error) || error.status !== 409) throw error;
  return (
    <PrivatePage title="This email address has another account">
      <h1>This email address has another account</h1>
      <p>
        It was opened after you asked for the change, so your account keeps its current email address. If the
        other account is yours too, delete it and open this link again.
      </p>
      <ButtonLink href="/account">Go to your account</ButtonLink>
    </PrivatePage>
  );
}
