import { MailboxLink } from "../ui/mailbox-link.tsx";
import { PRIVATE_HEADERS, PrivatePage } from "../ui/private-page.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import { SupportLink } from "../ui/support-link.tsx";
import type { Route } from "./+types/sent.ts";
import { referralCode } from "./join.server.ts";
import { DAYS_TO_CONFIRM, MAILS_A_DAY } from "./rules.ts";

export const handle: RouteHandle = { isOnWaitlist: true };

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

export function loader({ request }: Route.LoaderArgs) {
  return { referralCode: referralCode.parse(new URL(request.url).searchParams.get("ref")) };
}

/**
 * The same for every address, so that it does not reveal whether it is new, waiting, confirmed or limited. It names none, so that it
 * can be reloaded and shared.
 */
export default function Sent({ loaderData: { referralCode } }: Route.ComponentProps) {
  return (
    <PrivatePage title="Check your email">
      <h1>Check your email</h1>
      <p>We’ve emailed you a link. Open it within {DAYS_TO_CONFIRM} days to confirm your place.</p>
      <MailboxLink />
      <h2 className="pt-4">Nothing there?</h2>
      <ul className="list">
        <li>Wait a few minutes, and check your spam folder.</li>
        <li>
          Typo or lost email?{" "}
          <a href={referralCode ? `/waitlist?ref=${referralCode}` : "/waitlist"}>Enter your address again</a>{" "}
          (up to {MAILS_A_DAY - 1} times a day).
        </li>
        <li>
          Still nothing? Email <SupportLink />.
        </li>
      </ul>
    </PrivatePage>
  );
}
