import { data, redirect } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { loginPath } from "../http/safe-path.ts";
import { ButtonLink } from "../ui/button.tsx";
import { MailboxLink } from "../ui/mailbox-link.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PrivatePage, privateFormHeaders } from "../ui/private-page.tsx";
import { SupportLink } from "../ui/support-link.tsx";
import type { Route } from "./+types/verify-email-sent.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { sendVerification, sendWithinLimits } from "./mail-links.server.ts";
import { readUser } from "./session.server.ts";

export const headers = privateFormHeaders;

export async function action(args: Route.ActionArgs) {
  const user = await readUser(args);
  if (!user) return redirect(loginPath("/account"), 303);
  const { id, email, emailVerified } = user;
  if (emailVerified) return redirect("/verify-email/done", 303);
  const { app, state } = fromContext(args.context);
  const tooManyRequests = await sendWithinLimits(app, AUTH_LIMITS.mailByAddress, state.client, [email], () =>
    app.db.transaction((tx) => sendVerification(tx, app.config.site, { id, email })),
  );
  return tooManyRequests
    ? data({ wait: tooManyRequests.message }, tooManyRequests)
    : redirect("/verify-email/sent", 303);
}

export default function VerifyEmailSent({ actionData }: Route.ComponentProps) {
  return (
    <PrivatePage title="Check your email">
      <h1>Check your email</h1>
      {actionData ? (
        <Notice tone="bad">
          <p className="font-semibold">We’ve already sent you several emails</p>
          <p>{actionData.wait}. Any of their links still works.</p>
        </Notice>
      ) : (
        <p>We’ve emailed you a new link. Open it and press the button to confirm your email address.</p>
      )}
      <MailboxLink />
      <p>
        Nothing there? Give it a few minutes and check your spam folder. Wrong email address?{" "}
        <PageLink href="/account/email">Change it</PageLink>. Still nothing? Email <SupportLink />.
      </p>
      <div>
        <ButtonLink href="/dashboard" isQuiet>
          Go to the dashboard
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
