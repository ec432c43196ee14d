import { redirect } from "react-router";
import { z } from "zod";
import { AccountPage } from "../auth/account-page.tsx";
import { AUTH_LIMITS } from "../auth/limits.ts";
import { sendWithinLimits } from "../auth/mail-links.server.ts";
import { emailAddress } from "../auth/person-fields.server.ts";
import { requireFreshSession } from "../auth/session.server.ts";
import { fromContext } from "../http/context.server.ts";
import { failure } from "../http/errors.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { Field } from "../ui/field.tsx";
import { MailboxLink } from "../ui/mailbox-link.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { useRouteForm } from "../ui/route-form.ts";
import { SupportLink } from "../ui/support-link.tsx";
import type { Route } from "./+types/change-email.ts";
import { askForEmailChange } from "./change-email.server.ts";

export { sendForm as clientAction } from "../ui/send-form.ts";

const FAILURE = "Your email address wasn’t changed";

const emailForm = z.object({ email: emailAddress });

export async function loader(args: Route.LoaderArgs) {
  const { user } = await requireFreshSession(args);
  return { email: user.email, isSent: new URL(args.request.url).searchParams.has("sent") };
}

/** The same answer whether the address is taken or free. */
export async function action(args: Route.ActionArgs) {
  const { app, state } = fromContext(args.context);
  return submitForm(args, {
    schema: emailForm,
    failure: FAILURE,
    sender: requireFreshSession,
    async work({ email }, { user }) {
      if (email.toLowerCase() === user.email)
        return { ...failure(400, "This is already your email address"), field: "email" };
      const both = [email, user.email];
      const tooManyRequests = await sendWithinLimits(app, AUTH_LIMITS.mailByAddress, state.client, both, () =>
        askForEmailChange(app.db, app.config.site, user, email),
      );
      return tooManyRequests ?? redirect("/account/email?sent=1", 303);
    },
  });
}

export default function ChangeEmail({ loaderData, actionData }: Route.ComponentProps) {
  const { form, fields, formProps } = useRouteForm<typeof emailForm>(actionData, { id: "email" });
  if (loaderData.isSent) return <CheckYourEmail />;
  return (
    <AccountPage title="Change your email address">
      {!form.valid && <ErrorSummary title={FAILURE} form={form} />}
      <p>
        Your email address is <strong className="[overflow-wrap:anywhere]">{loaderData.email}</strong>.
        Nothing changes until you confirm the new one.
      </p>
      <PostForm {...formProps} className="grid gap-5 w-full max-w-[27rem]">
        <Field
          field={fields.email}
          label="New email address"
          input={{ type: "email", autoComplete: "email", autoCapitalize: "none", spellCheck: false }}
        />
        <SubmitButton pendingLabel="Sending…">Send confirmation email</SubmitButton>
      </PostForm>
    </AccountPage>
  );
}

function CheckYourEmail() {
  return (
    <AccountPage title="Check your email">
      <p>
        We’ve emailed your new email address. Open the email and press the button to confirm it. Until then,
        nothing changes.
      </p>
      <MailboxLink />
      <p>
        Nothing there after a few minutes? Check your spam folder,{" "}
        <PageLink href="/account/email">try again</PageLink>, or email <SupportLink />.
      </p>
    </AccountPage>
  );
}
