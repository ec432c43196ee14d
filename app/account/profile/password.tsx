import { getFormProps, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { Form, redirect, useNavigation } from "react-router";
import { changePassword } from "../../auth/change-password.server.ts";
import { PASSWORD_HINT } from "../../auth/credentials.ts";
import { requireFreshSession } from "../../auth/session.server.ts";
import { readSignInMethods } from "../../auth/sign-in-methods.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { Field } from "../../ui/field.tsx";
import { COULD_NOT_REACH, whenOffline } from "../../ui/when-offline.ts";
import { answerForm, refuse } from "../submit-form.server.ts";
import type { Route } from "./+types/password.ts";
import { AccountPage, PasswordOwner } from "./account-page.tsx";
import { passwordForm } from "./password-forms.ts";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireFreshSession(args);
  const { hasPassword } = await readSignInMethods(fromContext(args.context).app.db, user.id);
  return { email: user.email, hasPassword };
}

export async function action(args: Route.ActionArgs) {
  const sent = await readForm(args.request);
  // Until it is known whether there is a password, nothing can be said of a missing one.
  const unjudged = parseWithZod(sent, { schema: passwordForm(false) });
  const { app, state } = fromContext(args.context);
  return answerForm(args, unjudged, "Failed to change the password", async () => {
    const session = await requireFreshSession(args);
    const { hasPassword } = await readSignInMethods(app.db, session.user.id);
    const submission = parseWithZod(sent, { schema: passwordForm(hasPassword) });
    if (submission.status !== "success") return refuse(submission);
    const { current_password = "", password: next } = submission.value;
    const current = hasPassword ? current_password : null;
    const changed = await changePassword(app, state.client, session, { current, next });
    if (!changed.ok) return changed;
    return redirect("/account?changed=password", 303);
  });
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return whenOffline(serverAction, { status: "error", error: { "": [COULD_NOT_REACH] } });
}

export default function ChangePassword({ loaderData, actionData }: Route.ComponentProps) {
  const navigation = useNavigation();
  const { email, hasPassword } = loaderData;
  const schema = passwordForm(hasPassword);
  const [form, fields] = useForm({
    id: "password",
    lastResult: navigation.state === "idle" ? actionData : null,
    constraint: getZodConstraint(schema),
    onValidate: ({ formData }) => parseWithZod(formData, { schema }),
  });
  const title = hasPassword ? "Change your password" : "Set a password";
  return (
    <AccountPage title={title} text="PASSWORD" label={hasPassword ? "A new one" : "A first one"}>
      <p>
        Everybody who is signed in to your account elsewhere is signed out, and we tell you so by email. Here
        you stay signed in.
      </p>
      {!form.valid && (
        <ErrorSummary title={`Your password is ${hasPassword ? "as it was" : "not set"}`} form={form} />
      )}
      <Form method="post" {...getFormProps(form)} className="grid gap-5 w-full max-w-[27rem]">
        <PasswordOwner email={email} />
        {hasPassword && (
          <Field
            field={fields.current_password}
            label="Current password"
            input={{ type: "password", autoComplete: "current-password" }}
          />
        )}
        <Field
          field={fields.password}
          label="New password"
          hint={PASSWORD_HINT}
          input={{ type: "password", autoComplete: "new-password" }}
        />
        <SubmitButton isPending={navigation.state !== "idle"} pendingLabel="Changing it…">
          {title}
        </SubmitButton>
      </Form>
    </AccountPage>
  );
}
