import { MailboxLink } from "../ui/mailbox-link.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import { SupportLink } from "../ui/support-link.tsx";
import { MAILS_A_DAY } from "./rules.ts";

/** The same for every address, so that it does not reveal whether the address is new, waiting, confirmed or limited. */
export function CheckYourMail(props: {
  sentTo: string;
  isRepeat: boolean;
  referralCode: string | undefined;
}) {
  const { sentTo, isRepeat, referralCode } = props;
  return (
    <PrivatePage title="Check your email">
      <h1>{isRepeat ? "Check your email again" : "Check your email"}</h1>
      <p>
        We’ve emailed <strong className="[overflow-wrap:anywhere]">{sentTo}</strong>. Open the email and press
        the button to confirm your place.
      </p>
      <MailboxLink />
      <h2 className="pt-4">Nothing there?</h2>
      <ul className="list">
        <li>Wait a few minutes, and check your spam folder.</li>
        <li>
          Typo in your email address?{" "}
          <a href={referralCode ? `/waitlist?ref=${referralCode}` : "/waitlist"}>Enter it again</a>.
        </li>
        <li>
          Send it again, up to {MAILS_A_DAY - 1} times a day. Still nothing? Email <SupportLink />.
        </li>
      </ul>
      <form method="post" action="/waitlist">
        <input type="hidden" name="email" value={sentTo} />
        {referralCode && <input type="hidden" name="ref" value={referralCode} />}
        <button type="submit" name="again" value="1" className="button" data-quiet>
          Send it again
        </button>
      </form>
    </PrivatePage>
  );
}
