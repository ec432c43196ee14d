import type { Pool } from "pg";
import type { Mail } from "../mailbox/mailbox.ts";
import { openMailbox } from "../mailbox/mailbox.ts";

/** A mail as /sandbox/mail.json shows it. */
export interface ShownMail extends Mail {
  id: number;
  receivedAt: string;
}

/** A mailbox, what it logged, and what it shows. */
export async function openTestMailbox(pool: Pool) {
  const logged: string[] = [];
  const mailbox = await openMailbox({ pool, log: (message) => void logged.push(message) });
  function get(path: string, method = "GET"): Promise<Response> {
    return mailbox.handle(new Request(`http://site.example${path}`, { method }));
  }
  async function mails(): Promise<ShownMail[]> {
    return (await get("/sandbox/mail.json")).json();
  }
  return { ...mailbox, logged, get, mails };
}
