import { useSite } from "./site.ts";

/** Where to read what was just sent, on a site whose mails leave it nowhere: never in production. */
export function SandboxMailbox() {
  const { mailboxPath } = useSite();
  if (!mailboxPath) return null;
  return (
    <p>
      This is a test site, so emails stay here: <a href={mailboxPath}>open the test mailbox</a>.
    </p>
  );
}
