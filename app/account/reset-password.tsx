import { data, isRouteErrorResponse, redirect, redirectDocument } from "react-router";
import { z } from "zod";
import { PASSWORD_HINT } from "../auth/credentials.ts";
import { CredentialsPage, PasswordField, PasswordOwner } from "../auth/credentials-page.tsx";
import { DeadLink } from "../auth/link-page.tsx";
import { newPassword, personName } from "../auth/person-fields.server.ts";
import { providerName } from "../auth/providers/providers.ts";
import { pathAfter, readUserIfPossible } from "../auth/session.server.ts";
import { openWithKnownPassword } from "../auth/sign-in.server.ts";
import { fromContext } from "../http/context.server.ts";
import { safePath } from "../http/safe-path.ts";
import { readLinkToken } from "../http/secret-token.server.ts";
import { hasBrokenContext, submitForm } from "../http/submit-form.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { privateFormHeaders } from "../ui/private-page.tsx";
import { useRouteForm } from "../ui/route-form.ts";
import type { RouteHandle } from "../ui/route-handle.ts";
import type { Route } from "./+types/reset-password.ts";
import { findResetBefore, readResetAccount, resetPassword } from "./reset-password.server.ts";

const FAILURE = "Your password wasn’t changed";

const resetPasswordForm = z.object({
  name: personName.optional(),
  password: newPassword,
  disconnects: z.stringbool().default(false),
});

export const handle: RouteHandle = { hydrate: true };

export { sendForm as clientAction } from "../ui/send-form.ts";

export const headers = privateFormHeaders;

export async function loader(args: Route.LoaderArgs) {
  try {
    return await readAccount(args);
  } catch (error) {
    // The form reports the failure and works without the account's address.
    if (args.context.get(hasBrokenContext)) return null;
    throw error;
  }
}

/** @throws 410 for a dead link */
async function readAccount(args: Route.LoaderArgs) {
  const { app } = fromContext(args.context);
  const account = await readResetAccount(app.db, readLinkToken(args.request));
  if (!account) throw data(null, { status: 410 });
  const { id, email, isVerified, providers } = account;
  const isOwn = (await readUserIfPossible(args))?.id === id;
  return { email, isVerified, isOwn, connected: providers.map(providerName) };
}

export async function action(args: Route.ActionArgs) {
  const { app, state } = fromContext(args.context);
  const token = readLinkToken(args.request);
  return submitForm(args, {
    schema: resetPasswordForm,
    failure: FAILURE,
    async work({ password, disconnects, name }) {
      const signedInAs = (await readUserIfPossible(args))?.id ?? null;
      const choice = { password, disconnects, name, signedInAs };
      const reset = await resetPassword(app, state.client, token, choice);
      if (reset && !reset.ok) return reset;
      const done = reset ?? (await findResetBefore(app, state.client, token, password));
      if (!done) throw new Response(null, { status: 410 });
      const isLocal = app.config.site.hostedAppUrl === null;
      const signedIn = isLocal ? await openWithKnownPassword(args, done.password) : null;
      // Where sign-in is elsewhere, or the password has changed since, the reader signs in.
      if (!signedIn) return redirect("/login?reason=reset", 303);
      return redirectDocument(pathAfter(signedIn, safePath(done.returnTo, "/dashboard")), 303);
    },
  });
}

export default function ResetPassword({ loaderData, actionData }: Route.ComponentProps) {
  const { form, fields, formProps } = useRouteForm<typeof resetPasswordForm>(actionData);
  return (
    <CredentialsPage title="Choose a new password" failure={FAILURE} form={form}>
      <p>
        {loaderData && (
          <>
            For <strong className="[overflow-wrap:anywhere]">{loaderData.email}</strong>.{" "}
          </>
        )}
        You’ll be signed in here, and signed out on every other device.
      </p>
      {loaderData && !loaderData.isVerified && (
        <p>
          This email address was never confirmed, so someone else may have opened the account. A new password
          makes it yours alone: its {!loaderData.isOwn && "name, "}photo and connected accounts are removed.
        </p>
      )}
      <PostForm {...formProps} className="grid gap-5">
        <PasswordOwner email={loaderData?.email ?? ""} />
        {loaderData && !loaderData.isVerified && !loaderData.isOwn && (
          <Field field={fields.name} label="Your name (optional)" input={{ autoComplete: "name" }} />
        )}
        <PasswordField
          field={fields.password}
          label="New password"
          hint={PASSWORD_HINT}
          autoComplete="new-password"
        />
        {loaderData ? (
          <DisconnectChoice
            name={fields.disconnects.name}
            connected={loaderData.isVerified ? loaderData.connected : []}
            isChosen={!actionData || fields.disconnects.initialValue === "true"}
          />
        ) : (
          <input
            type="hidden"
            name={fields.disconnects.name}
            value={fields.disconnects.initialValue ?? "false"}
          />
        )}
        <SubmitButton pendingLabel="Saving…">Change the password</SubmitButton>
      </PostForm>
      <p>
        <PageLink href="/login">Back to Login</PageLink>
      </p>
    </CredentialsPage>
  );
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
  if (isRouteErrorResponse(error) && error.status === 410) return <DeadLink purpose="reset_password" />;
  throw error;
}

function DisconnectChoice(props: { name: string; connected: string[]; isChosen: boolean }) {
  const { name, connected, isChosen } = props;
  if (connected.length === 0) return null;
  return (
    <label className="flex gap-3 items-start min-h-11">
      <input type="checkbox" name={name} value="true" defaultChecked={isChosen} className="tick" />
      <span>
        Disconnect {connected.join(" and ")}. Leave this ticked unless you connected{" "}
        {connected.length > 1 ? "them" : "it"} yourself. The person who did could still sign in.
      </span>
    </label>
  );
}
