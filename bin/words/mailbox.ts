import { eventually } from "../../test/http.ts";
import { linkIn, type SentMail } from "../../test/mail.ts";
import type { TestServer } from "../../test/server.ts";

/** All mails so far, one of each subject. */
export async function readMailbox(server: TestServer): Promise<SentMail[]> {
  const mails = await mailbox(server);
  return [...new Map(mails.map((mail) => [mail.subject, mail])).values()].reverse();
}

/** What has been sent, newest first, once nothing is waiting: whatever the mails say by now. */
async function mailbox(server: TestServer): Promise<SentMail[]> {
  const waiting = "SELECT FROM outbox WHERE kind IN ('send_mail', 'notify_owner') AND done_at IS NULL";
  await eventually(async () => (await server.pool.query(waiting)).rowCount === 0, "all mails are sent");
  return (await fetch(`${server.origin}/sandbox/mail.json`)).json();
}

/** The newest link to a page of ours in the mails to somebody. */
export async function linkTo(server: TestServer, email: string, path: string): Promise<string> {
  const mails = (await mailbox(server)).filter(({ to, text }) => to === email && text.includes(`${path}?`));
  if (!mails[0]) throw new Error(`no mail to ${email} leads to ${path}`);
  return linkIn(mails[0], path);
}
