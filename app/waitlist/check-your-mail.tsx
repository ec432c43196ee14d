import { LabelledLine } from "../ui/labelled-line.tsx";
import { MailboxLink } from "../ui/mailbox-link.tsx";
import { PrivatePage } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";
import { MAILS_A_DAY } from "./rules.ts";

/** The same for every address, so that it does not reveal whether the address is new, waiting, confirmed or limited. */
export function CheckYourMail(props: {
  sentTo: string;
  isRepeat: boolean;
  referralCode: string | undefined;
}) {
  const { sentTo, isRepeat, referralCode } = props;
  const { supportEmail } = useSite();
  return (
    <PrivatePage title="Check your email">
      <LabelledLine text={`EMAIL TO ${sentTo.toUpperCase()}`} label="Open me" />
      <h1>{isRepeat ? "Check your email again" : "Check your email"}</h1>
      <p>
        If <strong className="[overflow-wrap:anywhere]">{sentTo}</strong> can get another email from us today,
        it is on its way. Open it and press its button.
      </p>
      <MailboxLink />
      <h2 className="pt-4">Nothing there?</h2>
      <ul className="list">
        <li>Give it a few minutes, and look in the spam folder.</li>
        <li>
          Is the address right? If not,{" "}
          <a href={referralCode ? `/waitlist?ref=${referralCode}` : "/waitlist"}>enter it again</a>.
        </li>
        <li>
          Have it sent again, at most {MAILS_A_DAY - 1} times a day. If it still does not come, write to{" "}
          <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
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
