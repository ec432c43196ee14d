import { eventually } from "./http.ts";
import type { TestServer } from "./server.ts";

/** A mail as its reader gets it. */
export interface SentMail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** The newest mail to an address whose subject matches; waits for it */
export async function mailTo(server: TestServer, address: string, subject: RegExp): Promise<SentMail> {
  return eventually(
    async () => (await mailsTo(server, address)).find((mail) => subject.test(mail.subject)),
    `a mail to ${address} about ${subject}`,
  );
}

/** The mails to an address so far, newest first. */
export async function mailsTo(server: TestServer, address: string): Promise<SentMail[]> {
  return (await allMails(server)).filter(({ to }) => to === address);
}

/** The mails so far, to any recipient, that contain a text. */
export async function mailsNaming(server: TestServer, text: string): Promise<SentMail[]> {
  return (await allMails(server)).filter((mail) => JSON.stringify(mail).includes(text));
}

async function allMails(server: TestServer): Promise<SentMail[]> {
  const response = await fetch(`${server.origin}/sandbox/mail.json`);
  return (await response.json()) as SentMail[];
}

/** The same, after all queued mails and jobs for this address are done. */
export async function everyMailTo(server: TestServer, address: string): Promise<SentMail[]> {
  await eventually(async () => {
    const { rowCount } = await server.pool.query(
      "SELECT FROM outbox WHERE done_at IS NULL AND strpos(payload::text, $1) > 0 LIMIT 1",
      [address],
    );
    return rowCount === 0;
  }, `all mails to ${address}`);
  return mailsTo(server, address);
}

/** How many mails something writes, sent already or still waiting. */
export async function countMails(server: TestServer, work: () => Promise<unknown>): Promise<number> {
  const count = async () =>
    (await server.pool.query("SELECT FROM outbox WHERE kind = 'send_mail'")).rowCount ?? 0;
  const before = await count();
  await work();
  return (await count()) - before;
}

/** The link of a mail that leads to a path of our own, without its origin. */
export function linkIn(mail: SentMail, path: string): string {
  const link = mail.text.match(/https?:\S+/g)?.find((link) => new URL(link).pathname === path);
  if (!link) throw new Error(`no link to ${path} in: ${mail.text}`);
  return new URL(link).pathname + new URL(link).search;
}
