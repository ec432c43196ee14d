import type { Pool } from "pg";

/** A mail server on loopback that delivers to a page instead of to people. */
export interface Mailbox {
  /** Where it takes mail: smtp://127.0.0.1:port */
  smtpUrl: string;
  /** Answers everything below /sandbox/mail. */
  handle(request: Request): Promise<Response>;
  close(): Promise<void>;
}

export async function openMailbox(_options: {
  pool: Pool;
  log: (message: string) => void;
}): Promise<Mailbox> {
  return {
    smtpUrl: "smtp://127.0.0.1:1",
    handle: async () => new Response("not yet", { status: 501 }),
    close: async () => {},
  };
}
