import type { Pool } from "pg";
import { createSandboxSchema } from "../schema.ts";
import { answerMailbox } from "./answer.ts";
import { readMail } from "./read-mail.ts";
import { listenForMail } from "./smtp.ts";
import { keepMail, tables } from "./store.ts";

/** A mail server on loopback that delivers to a page instead of to people. */
export interface Mailbox {
  /** Where it takes mail: smtp://127.0.0.1:port */
  smtpUrl: string;
  /** Answers everything below /sandbox/mail. */
  handle(request: Request): Promise<Response>;
  /** Takes no more mail; resolves when what is being kept has been kept. Call it before the pool ends. */
  close(): Promise<void>;
}

/**
 * Opens a mailbox: see README.md. Several processes may, on one database: each takes mail at an address of its own, and
 * all show all of it.
 *
 * @param options.pool mail is kept in its schema `sandbox_mail`
 * @param options.log never hears of an address
 */
export async function openMailbox(options: { pool: Pool; log: (message: string) => void }): Promise<Mailbox> {
  const { pool, log } = options;
  await createSandboxSchema(pool, "sandbox_mail", tables);
  const { url, close } = await listenForMail(async (raw, recipients) => {
    const isNew = await keepMail(pool, await readMail(raw, recipients));
    log(`Mailbox: ${isNew ? "a mail came" : "a mail came again, and is shown once"}`);
  }, log);
  return { smtpUrl: url, handle: (request) => answerMailbox(request, pool, url), close };
}
