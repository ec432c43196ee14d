import { useSite } from "../site.ts";
import { PrivatePage } from "./private-page.tsx";
import { MAILS_A_DAY } from "./rules.ts";

/** The one answer to every address, whether it is new, waits, is confirmed or has had its mails for today. */
export function CheckYourMail({ sentTo, isRepeat }: { sentTo: string; isRepeat: boolean }) {
  const { supportEmail } = useSite();
  return (
    <PrivatePage title="Check your mail">
      <p className="font-mono text-quiet [overflow-wrap:anywhere]">
        MAIL TO {sentTo.toUpperCase()} <span className="label font-sans font-semibold ml-3">On its way</span>
      </p>
      <h1>{isRepeat ? "Check your mail again" : "Check your mail"}</h1>
      <p>
        A mail is going to <strong className="[overflow-wrap:anywhere]">{sentTo}</strong>. Open it and press
        its button.
      </p>
      <h2 className="pt-4">Nothing there?</h2>
      <ul className="label-list">
        <li>Give it a few minutes, and look in the spam folder.</li>
        <li>
          Is the address right? If not, <a href="/waitlist">enter it anew</a>.
        </li>
        <li>
          Have it sent again, at most {MAILS_A_DAY - 1} times a day. If it stays away, write to{" "}
          <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
        </li>
      </ul>
      <form method="post" action="/waitlist">
        <input type="hidden" name="email" value={sentTo} />
        <button type="submit" name="again" value="1" className="button" data-quiet>
          Send it again
        </button>
      </form>
    </PrivatePage>
  );
}
