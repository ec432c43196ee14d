import { useSite } from "./site.ts";

/** Nothing without the sandbox. */
export function MailboxLink() {
  const { mailboxUrl } = useSite();
  if (!mailboxUrl) return null;
  return (
    <p>
      This site is a sandbox and sends no real email. <a href={mailboxUrl}>Open its mailbox</a>
    </p>
  );
}
