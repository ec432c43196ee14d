import { getFormProps, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { Form, redirect, useNavigation } from "react-router";
import { z } from "zod";
import { askForEmailChange } from "../../auth/change-email.server.ts";
import { AUTH_LIMITS } from "../../auth/limits.ts";
import { sendWithinLimits } from "../../auth/mail-limit.server.ts";
import { emailAddress } from "../../auth/person-fields.ts";
import { requireFreshSession } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { failure } from "../../http/errors.ts";
import { readForm } from "../../http/form.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { Field } from "../../ui/field.tsx";
import { useSite } from "../../ui/site.ts";
import { COULD_NOT_REACH, whenOffline } from "../../ui/when-offline.ts";
import { answerForm, refuse } from "../submit-form.server.ts";
import type { Route } from "./+types/email.ts";
import { AccountPage } from "./account-page.tsx";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

const emailForm = z.object({ email: emailAddress });

export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireFreshSession(args);
  return { email: user.email, isSent: new URL(args.request.url).searchParams.has("sent") };
}

/** The one answer to every address, whether it is somebody's already or nobody's. */
export async function action(args: Route.ActionArgs) {
  const submission = parseWithZod(await readForm(args.request), { schema: emailForm });
  const { app, state } = fromContext(args.context);
  return answerForm(args, submission, "Failed to ask for another address", async () => {
    const { user } = await requireFreshSession(args);
    if (submission.status !== "success") return refuse(submission);
    const { email } = submission.value;
    if (email.toLowerCase() === user.email)
      return { ...failure(400, "This is your address already"), field: "email" };
    const both = [email, user.email];
    const refusal = await sendWithinLimits(app, AUTH_LIMITS.mailByAddress, state.client, both, () =>
      askForEmailChange(app.db, app.config.site, user, email),
    );
    if (refusal) return refusal;
    return redirect("/account/email?sent=1", 303);
  });
}

export function clientAction({ serverAction }: Route.ClientActionArgs) {
  return whenOffline(serverAction, { status: "error", error: { "": [COULD_NOT_REACH] } });
}

export default function ChangeEmail({ loaderData, actionData }: Route.ComponentProps) {
  const navigation = useNavigation();
  const [form, fields] = useForm({
    id: "email",
    lastResult: navigation.state === "idle" ? actionData : null,
    constraint: getZodConstraint(emailForm),
    onValidate: ({ formData }) => parseWithZod(formData, { schema: emailForm }),
  });
  if (loaderData.isSent) return <CheckYourEmail />;
  return (
    <AccountPage title="Change your email address" text={loaderData.email.toUpperCase()} label="And now?">
      <p>
        We write to the new address, and to the one you have now. Nothing changes until you press the button
        behind the link in the new one.
      </p>
      {!form.valid && <ErrorSummary title="Your email address is as it was" form={form} />}
      <Form method="post" {...getFormProps(form)} className="grid gap-5 w-full max-w-[27rem]">
        <Field
          field={fields.email}
          label="New email address"
          input={{ type: "email", autoComplete: "email", autoCapitalize: "none", spellCheck: false }}
        />
        <SubmitButton isPending={navigation.state !== "idle"} pendingLabel="Writing to it…">
          Send the email
        </SubmitButton>
      </Form>
    </AccountPage>
  );
}

function CheckYourEmail() {
  const { supportEmail } = useSite();
  return (
    <AccountPage title="Check your email" text="EMAIL FROM US" label="Open me">
      <p>
        An email to the new address is on its way. Open it and press its button; then it is the address of
        your account. Until then everything stays as it is.
      </p>
      <p>
        Nothing there after a few minutes? Look in the spam folder, <a href="/account/email">try again</a>, or
        write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
      </p>
    </AccountPage>
  );
}
