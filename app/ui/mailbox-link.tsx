import { useSite } from "./site.ts";

/** For pages that send people to their mail: while the sandbox keeps it, where to read it. Otherwise nothing. */
export function MailboxLink() {
  const { mailboxUrl } = useSite();
  if (!mailboxUrl) return null;
  return (
    <p className="border-l-[6px] border-label bg-sheet px-4 py-3 w-full">
      This site is a sandbox and sends no real email. <a href={mailboxUrl}>Open its mailbox</a>
    </p>
  );
}
