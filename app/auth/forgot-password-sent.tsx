import { fromContext } from "../http/context.server.ts";
import { MailboxLink } from "../ui/mailbox-link.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PrivateHead } from "../ui/private-page.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import { SupportLink } from "../ui/support-link.tsx";
import type { Route } from "./+types/forgot-password-sent.ts";
import { PROVIDER_NAMES, PROVIDERS } from "./providers/providers.ts";

export const handle: RouteHandle = { styles: "account" };

export function loader({ context }: Route.LoaderArgs) {
  const { providers } = fromContext(context).app;
  return { providerNames: PROVIDERS.filter((id) => providers[id].isOn).map((id) => PROVIDER_NAMES[id]) };
}

export default function ForgotPasswordSent({ loaderData: { providerNames } }: Route.ComponentProps) {
  return (
    <div className="page py-10 credentials">
      <PrivateHead title="Check your email" />
      <h1>Check your email</h1>
      <p>
        If there’s an account with that email address, we’ve sent it a link. Open it within an hour to choose
        a new password.
      </p>
      <MailboxLink />
      <h2>Nothing there?</h2>
      <ul className="list">
        <li>Give it a few minutes and check your spam folder.</li>
        <li>
          Signed up with a different email address?{" "}
          <PageLink href="/forgot-password">Enter that one</PageLink>.
        </li>
        {providerNames.length > 0 && (
          <li>
            If you signed up with {providerNames.join(" or ")},{" "}
            <PageLink href="/login">log in that way</PageLink>.
          </li>
        )}
        <li>
          Still nothing? Email <SupportLink />.
        </li>
      </ul>
    </div>
  );
}
