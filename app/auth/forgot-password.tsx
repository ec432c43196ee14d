import { redirect, redirectDocument } from "react-router";
import { z } from "zod";
import { requireLocalSignIn } from "../hosted-app/hosted-app.server.ts";
import { fromContext } from "../http/context.server.ts";
import { safePath } from "../http/safe-path.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { useRouteForm } from "../ui/route-form.ts";
import type { RouteHandle } from "../ui/route-handle.ts";
import type { Route } from "./+types/forgot-password.ts";
import { CredentialsPage, EmailField } from "./credentials-page.tsx";
import { AUTH_LIMITS } from "./limits.ts";
import { notifyOwner, sendWithinLimits } from "./mail-links.server.ts";
import { emailAddress, returnPath, returnToOf } from "./person-fields.server.ts";

/** Spec §8. */
const FAILURE = "Failed to send password reset email";

const forgotPasswordForm = z.object({ email: emailAddress, return_to: returnPath });

export const handle: RouteHandle = { hydrate: true };

export { sendForm as clientAction } from "../ui/send-form.ts";

export function loader({ request, context }: Route.LoaderArgs) {
  const { app } = fromContext(context);
  if (app.config.site.hostedAppUrl !== null) throw redirect("/login");
  return { returnTo: returnToOf({ request }, "") };
}

/** The same answer whether or not the address has an account. */
export async function action(args: Route.ActionArgs) {
  requireLocalSignIn(args.context);
  const { app, state } = fromContext(args.context);
  return submitForm(args, {
    schema: forgotPasswordForm,
    failure: FAILURE,
    async work({ email, return_to }) {
      const tooManyRequests = await sendWithinLimits(
        app,
        AUTH_LIMITS.resetByAddress,
        state.client,
        [email],
        () => notifyOwner(app, "reset", email, safePath(return_to, "") || undefined),
      );
      return tooManyRequests ?? redirectDocument("/forgot-password/sent", 303);
    },
  });
}

export default function ForgotPassword({ loaderData: { returnTo }, actionData }: Route.ComponentProps) {
  const { form, fields, formProps } = useRouteForm<typeof forgotPasswordForm>(actionData);
  return (
    <CredentialsPage title="Forgot your password?" failure={FAILURE} form={form}>
      <p>Enter your account’s email address, and we’ll send you a link to choose a new password.</p>
      <PostForm {...formProps} className="grid gap-5">
        <EmailField field={fields.email} />
        <input type="hidden" name={fields.return_to.name} value={returnTo} />
        <SubmitButton pendingLabel="Sending…">Send the link</SubmitButton>
      </PostForm>
      <p>
        <PageLink href="/login">Back to Login</PageLink>
      </p>
    </CredentialsPage>
  );
}
