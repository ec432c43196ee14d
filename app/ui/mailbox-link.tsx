import { useSite } from "./site.ts";

/** For pages that send people to their mail: while the sandbox keeps it, where to read it. Otherwise nothing. */
export function MailboxLink() {
  const { mailboxUrl } = useSite();
  if (!mailboxUrl) return null;
  return (
    <p>
      This site is a sandbox and sends no real email. <a href={mailboxUrl}>Open its mailbox</a>
    </p>
  );
}
