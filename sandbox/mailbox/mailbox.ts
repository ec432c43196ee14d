import type { Pool } from "pg";
import { jsonResponse, pageResponse } from "../page/responses.ts";
import { createSandboxSchema } from "../schema.ts";
import { listPage, mailPage, notFoundPage } from "./mailbox-page.ts";
import { readMail } from "./read-mail.ts";
import { listenForMail } from "./smtp.ts";
import { findMail, listMail, SCHEMA, storeMail } from "./store.ts";

/** A mail server on loopback that delivers to a page instead of to people. */
export interface Mailbox {
  /** Where it takes mail: smtp://127.0.0.1:port */
  smtpUrl: string;
  /** Answers any request whose path starts with /sandbox/mail. */
  handle(request: Request): Promise<Response>;
  /** Takes no more mail; resolves when all that came is stored. Call it before the pool ends. */
  close(): Promise<void>;
}

/**
 * Opens a mailbox: see README.md. Several processes may, on one database: each takes mail on a port of its own, and
 * all show the mail of all.
 *
 * @param options.pool mail is kept in its schema `sandbox_mail`
 * @param options.log is never given an address
 * @param options.port of SMTP; any, if left out
 */
export async function openMailbox(options: {
  pool: Pool;
  log: (message: string) => void;
  port?: number;
}): Promise<Mailbox> {
  const { pool, log, port = 0 } = options;
  await createSandboxSchema(pool, SCHEMA);
  const { url, close } = await listenForMail(
    async (raw, recipients) => {
      const isNew = await storeMail(pool, await readMail(raw, recipients));
      log(`Mailbox: ${isNew ? "a mail came" : "a mail came again, and is shown once"}`);
    },
    log,
    port,
  );
  return { smtpUrl: url, handle: (request) => showMail(request, pool, url), close };
}

/** The list, one mail, or everything as JSON. Only reads. */
async function showMail({ url, method }: Request, pool: Pool, smtpUrl: string): Promise<Response> {
  const path = new URL(url).pathname;
  const id = /^\/sandbox\/mail\/([1-9]\d{0,8})$/.exec(path)?.[1];
  if (!id && path !== "/sandbox/mail" && path !== "/sandbox/mail.json")
    return pageResponse(404, notFoundPage());
  if (method !== "GET" && method !== "HEAD") {
    return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
  }
  if (path === "/sandbox/mail.json") return jsonResponse(200, await listMail(pool));
  if (!id) return pageResponse(200, listPage(await listMail(pool), smtpUrl));
  const mail = await findMail(pool, Number(id));
  return mail ? pageResponse(200, mailPage(mail)) : pageResponse(404, notFoundPage());
}
