import { getFormProps, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { Form, redirect, useNavigation } from "react-router";
import { forgotPasswordForm } from "../auth/credentials.ts";
import { AUTH_LIMITS } from "../auth/limits.ts";
import { sendWithinLimits } from "../auth/mail-limit.server.ts";
import { notifyOwner } from "../auth/notify-owner.server.ts";
import { requireLocalSignIn } from "../hosted-app/local-sign-in.server.ts";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { pageMeta } from "../ui/page-meta.ts";
import { COULD_NOT_REACH, whenOffline } from "../ui/when-offline.ts";
import type { Route } from "./+types/forgot-password.ts";
import { CredentialsPage, EmailField } from "./credentials-page.tsx";
import { answerForm, refuse } from "./submit-form.server.ts";

/** Spec §8. */
const FAILURE = "Failed to send password reset email";

export const handle = { hydrate: true };

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Forgot your password?", "Choose a new password by email.");

export function loader({ context }: Route.LoaderArgs) {
  if (fromContext(context).app.config.site.hostedAppUrl !== null) throw redirect("/login");
  return null;
}

/** The same answer to every address, whether it has an account or not. */
export async function action(args: Route.ActionArgs) {
  requireLocalSignIn(args.context);
  const submission = parseWithZod(await readForm(args.request), { schema: forgotPasswordForm });
  if (submission.status !== "success") return refuse(submission);
  const { app, state } = fromContext(args.context);
  const { email } = submission.value;
  return answerForm(args, submission, FAILURE, async () => {
    const refusal = await sendWithinLimits(app, AUTH_LIMITS.resetByAddress, state.client, [email], () =>
      notifyOwner(app, "reset", email),
    );
    return refusal ?? redirect("/forgot-password/sent", 303);
  });
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return whenOffline(serverAction, { status: "error", error: { "": [COULD_NOT_REACH] } });
}

export default function ForgotPassword({ actionData }: Route.ComponentProps) {
  const navigation = useNavigation();
  const [form, fields] = useForm({
    lastResult: navigation.state === "idle" ? actionData : null,
    constraint: getZodConstraint(forgotPasswordForm),
    shouldRevalidate: "onInput",
    onValidate: ({ formData }) => parseWithZod(formData, { schema: forgotPasswordForm }),
  });
  return (
    <CredentialsPage title="Forgot your password?" failure={FAILURE} form={form}>
      <p>Enter the address of your account, and we send a link to it with which you choose a new password.</p>
      <Form method="post" {...getFormProps(form)} className="grid gap-5">
        <EmailField field={fields.email} />
        <SubmitButton isPending={navigation.state !== "idle"} pendingLabel="Sending…">
          Send the link
        </SubmitButton>
      </Form>
      <p>
        <a href="/login">Back to Login</a>
      </p>
    </CredentialsPage>
  );
}
