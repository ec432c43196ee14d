import { redirect } from "react-router";
import { z } from "zod";
import { fromContext } from "../http/context.server.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { useRouteForm } from "../ui/route-form.ts";
import type { Route } from "./+types/change-password.ts";
import { AccountPage } from "./account-page.tsx";
import { changePassword } from "./change-password.server.ts";
import { PASSWORD_HINT } from "./credentials.ts";
import { PasswordField, PasswordOwner } from "./credentials-page.tsx";
import { currentPassword, newPassword } from "./person-fields.server.ts";
import { type RouteArgs, renewTokenAlone, requireFreshSession } from "./session.server.ts";
import { readSignInMethods } from "./users.server.ts";

export { sendForm as clientAction } from "../ui/send-form.ts";

function passwordForm(hasPassword: boolean) {
  return z.object({
    current_password: hasPassword ? currentPassword : z.string().max(1000).optional(),
    password: newPassword,
  });
}

export async function loader(args: Route.LoaderArgs) {
  const { session, hasPassword } = await readOwner(args);
  return { email: session.user.email, hasPassword };
}

export async function action(args: Route.ActionArgs) {
  const { app, state } = fromContext(args.context);
  return submitForm(args, {
    // Checked later: signed out, a missing current password is no error.
    schema: passwordForm(false),
    schemaFor: ({ hasPassword }) => passwordForm(hasPassword),
    failure: "Your password wasn’t changed",
    sender: readOwner,
    async work({ current_password = "", password: next }, { session, hasPassword }) {
      const current = hasPassword ? current_password : null;
      const changed = await changePassword(app, state.client, session, { current, next });
      if (!changed.ok) return changed;
      await renewTokenAlone(args, session.id);
      return redirect("/account?changed=password", 303);
    },
  });
}

async function readOwner(args: RouteArgs) {
  const session = await requireFreshSession(args);
  const { hasPassword } = await readSignInMethods(fromContext(args.context).app.db, session.user.id);
  return { session, hasPassword };
}

export default function ChangePassword({ loaderData, actionData }: Route.ComponentProps) {
  const { email, hasPassword } = loaderData;
  const { form, fields, formProps } = useRouteForm<ReturnType<typeof passwordForm>>(actionData, {
    id: "password",
  });
  const failure = `Your password wasn’t ${hasPassword ? "changed" : "set"}`;
  const title = hasPassword ? "Change your password" : "Set a password";
  return (
    <AccountPage title={title}>
      {!form.valid && <ErrorSummary title={failure} form={form} />}
      <p>This signs you out on every other device. We also send you an email.</p>
      <PostForm {...formProps} className="grid gap-5 w-full max-w-[27rem]">
        <PasswordOwner email={email} />
        {hasPassword && (
          <PasswordField
            field={fields.current_password}
            label="Current password"
            autoComplete="current-password"
          />
        )}
        <PasswordField
          field={fields.password}
          label="New password"
          hint={PASSWORD_HINT}
          autoComplete="new-password"
        />
        <SubmitButton pendingLabel="Saving…">{title}</SubmitButton>
      </PostForm>
      {hasPassword && <PageLink href="/forgot-password?return_to=/account">Forgot your password?</PageLink>}
    </AccountPage>
  );
}
