import { and, eq, ne } from "drizzle-orm";
import { redirect } from "react-router";
import { z } from "zod";
import { type App, fromContext } from "../http/context.server.ts";
import { type Failure, type FieldFailure, failure } from "../http/errors.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { enqueueMail } from "../mail/enqueue-mail.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { useRouteForm } from "../ui/route-form.ts";
import type { Route } from "./+types/change-password.ts";
import { AccountPage } from "./account-page.tsx";
import { PASSWORD_HINT, WRONG_PASSWORD } from "./credentials.ts";
import { PasswordField, PasswordOwner } from "./credentials-page.tsx";
import { passwordChangedMessage, passwordSetMessage } from "./messages.ts";
import { judgeNewPassword } from "./password-rules.server.ts";
import { findPasswordOf, hashPassword, setPassword } from "./passwords.server.ts";
import { currentPassword, newPassword } from "./person-fields.server.ts";
import { mailLinks, session } from "./schema.ts";
import { type RouteArgs, renewTokenAlone, requireFreshSession } from "./session.server.ts";
import type { Session } from "./sessions.server.ts";
import { confirmPassword } from "./tries.server.ts";
import { lockUser, readSignInMethods } from "./users.server.ts";

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

const SAME_PASSWORD = "This is already your password. Choose a different one.";

/**
 * Ends all other sessions, and reset links. The current password is checked first: without it nothing is said of the new one.
 * @param current `null`: the form said that there is none
 * Failures: 400 of the field `current_password` or `password`; 429 too many tries.
 */
async function changePassword(
  app: App,
  client: string,
  { id: sessionId, user: person }: Session,
  { current, next }: { current: string | null; next: string },
): Promise<{ ok: true } | Failure | FieldFailure> {
  const { site } = app.config;
  const { id: userId } = person;
  const tried = current === null ? null : await confirmPassword(app, client, person, current);
  if (tried && !tried.ok) return tried.status === 400 ? { ...tried, field: "current_password" } : tried;
  if (current === next) return { ...failure(400, SAME_PASSWORD), field: "password" };
  const judged = await judgeNewPassword(app, client, next, person);
  if (!judged.ok) return judged;
  const passwordHash = await hashPassword(next);

  return app.db.transaction(async (tx) => {
    const owner = await lockUser(tx, userId);
    const kept = await findPasswordOf(tx, userId);
    // Changed since it was checked, or set since the form was rendered without one.
    if (!owner || kept?.hash !== tried?.found.hash) {
      return { ...failure(400, WRONG_PASSWORD), field: "current_password" };
    }
    await setPassword(tx, userId, passwordHash);
    await tx.delete(session).where(and(eq(session.userId, userId), ne(session.id, sessionId)));
    await tx
      .delete(mailLinks)
      // The requested change of address may be an intruder's.
      .where(and(eq(mailLinks.userId, userId), ne(mailLinks.purpose, "verify_email")));
    const message = kept ? passwordChangedMessage(owner, site) : passwordSetMessage(owner.email, site);
    await enqueueMail(tx, site, message);
    return { ok: true };
  });
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
