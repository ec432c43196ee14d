import { redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../http/context.server.ts";
import { withReturnTo } from "../http/safe-path.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { useRouteForm } from "../ui/route-form.ts";
import type { Route } from "./+types/confirm.ts";
import { AccountPage } from "./account-page.tsx";
import { PasswordField, PasswordOwner } from "./credentials-page.tsx";
import { currentPassword, returnToOf } from "./person-fields.server.ts";
import { readEnabledProviders } from "./providers/connect.server.ts";
import { ProviderButtons } from "./providers/provider-buttons.tsx";
import { isProvider } from "./providers/providers.ts";
import { type RouteArgs, readFreshness, renewTokenAlone, requireSession } from "./session.server.ts";
import { confirmPassword } from "./tries.server.ts";
import { readSignInMethods } from "./users.server.ts";

const FAILURE = "We couldn’t confirm it’s you";

export { sendForm as clientAction } from "../ui/send-form.ts";

const confirmForm = z.object({ password: currentPassword });

export async function loader(args: Route.LoaderArgs) {
  const { id, user } = await requireSession(args);
  const { app } = fromContext(args.context);
  const offer = readEnabledProviders(app, args.request);
  const { isConfirmed, needsSecondFactor } = await readFreshness(app, id);
  if (isConfirmed && needsSecondFactor && !offer.failure) throw redirect(secondStepPath(args), 303);
  const { hasPassword, connections } = await readSignInMethods(app.db, user.id);
  const connected = connections.map(({ provider }) => provider).filter(isProvider);
  return { email: user.email, hasPassword, connected, returnTo: returnToOf(args, "/account"), offer };
}

export async function action(args: Route.ActionArgs) {
  const { app, state } = fromContext(args.context);
  return submitForm(args, {
    schema: confirmForm,
    failure: FAILURE,
    sender: requireSession,
    async work({ password }, { id, user }) {
      const confirmed = await confirmPassword(app, state.client, user, password);
      if (!confirmed.ok) return confirmed.status === 400 ? { ...confirmed, field: "password" } : confirmed;
      await renewTokenAlone(args, id, "confirmedAt");
      const { needsSecondFactor } = await readFreshness(app, id);
      return redirect(needsSecondFactor ? secondStepPath(args) : returnToOf(args, "/account"), 303);
    },
  });
}

function secondStepPath(args: RouteArgs): string {
  return withReturnTo("/account/confirm/second-factor", returnToOf(args, "/account"), "/account");
}

export default function Confirm({ loaderData, actionData }: Route.ComponentProps) {
  const { email, hasPassword, connected, returnTo, offer } = loaderData;
  const { form, fields, formProps } = useRouteForm<typeof confirmForm>(actionData, { id: "confirm" });
  return (
    <AccountPage title="Confirm it’s you">
      {!form.valid && <ErrorSummary title={FAILURE} form={form} />}
      <p>{hasPassword ? "Enter your password to continue." : "Log in once more to continue."}</p>
      {hasPassword && (
        <PostForm {...formProps} className="grid gap-5 w-full max-w-[27rem]">
          <PasswordOwner email={email} />
          <PasswordField field={fields.password} label="Password" autoComplete="current-password" />
          <SubmitButton pendingLabel="Checking…">Confirm</SubmitButton>
        </PostForm>
      )}
      <ProviderButtons offer={offer} only={connected} intent="confirm" returnTo={returnTo} />
      {hasPassword ? (
        <p>
          <PageLink href={withReturnTo("/forgot-password", returnTo, "/account")}>
            Forgot your password?
          </PageLink>
        </p>
      ) : (
        <p className="text-quiet">No luck? Sign out and log in again.</p>
      )}
    </AccountPage>
  );
}
