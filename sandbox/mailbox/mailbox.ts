import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Pool } from "pg";
import type { Address } from "postal-mime";
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerDataStream } from "smtp-server";
import type { SandboxOptions } from "../sandbox.ts";
import { createSandboxSchema, type SandboxSchema } from "../schema.ts";
import { jsonResponse, pageResponse } from "../web.ts";
import { listPage, mailPage, notFoundPage } from "./mailbox-page.ts";

type Options = Pick<SandboxOptions, "pool" | "log"> & Partial<NonNullable<SandboxOptions["mail"]>>;

/**
 * Opens a mail server on loopback that delivers to a page instead of to people: see README.md. Several processes may share
 * one database: each receives mail on its own port, and all show the mail of all.
 */
export async function openMailbox({ pool, log, port = 0 }: Options) {
  await createSandboxSchema(pool, SCHEMA);
  const store = async (raw: Buffer, recipients: string[]) => {
    const isNew = await storeMail(pool, await readMail(raw, recipients));
    log(`Mailbox: ${isNew ? "a mail came" : "a mail came again, and is shown once"}`);
  };
  const { url, close } = await listenForMail(store, log, port);
  return {
    smtpUrl: url,
    /** Answers any request whose path starts with /sandbox/mail. */
    handle: (request: Request) => showMail(request, pool, url),
    /** Takes no more mail; resolves when all that came is stored. Call it before the pool ends. */
    close,
  };
}

async function showMail({ url, method }: Request, pool: Pool, smtpUrl: string): Promise<Response> {
  const path = new URL(url).pathname;
  const id = /^\/sandbox\/mail\/([1-9]\d{0,8})$/.exec(path)?.[1];
  if (!id && path !== "/sandbox/mail" && path !== "/sandbox/mail.json")
    return pageResponse(404, notFoundPage());
  if (method !== "GET" && method !== "HEAD") {
    return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
  }
  if (path === "/sandbox/mail.json") return jsonResponse(200, await findMail(pool));
  if (!id) return pageResponse(200, listPage(await findMail(pool), smtpUrl));
  const [mail] = await findMail(pool, Number(id));
  return mail ? pageResponse(200, mailPage(mail)) : pageResponse(404, notFoundPage());
}

const LARGEST_BYTES = 1024 * 1024;
/** How long connections may stay open once it is closed, in milliseconds; pooled ones never end by themselves. */
const CLOSE_MILLISECONDS = 50;

/**
 * Receives mail for any recipient, from this machine only.
 *
 * @param store receives a whole mail and its recipients; when it throws, the client is told to retry later
 * @returns the address (smtp://127.0.0.1:port), and `close`, which resolves when all received mail is stored
 */
async function listenForMail(
  store: (raw: Buffer, recipients: string[]) => Promise<void>,
  log: (message: string) => void,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const storing = new Set<Promise<void>>();
  const server = new SMTPServer({
    banner: "mailbox sandbox",
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    size: LARGEST_BYTES,
    // The server itself answers 552, whatever happens to the part that was read.
    rejectOversized: true,
    closeTimeout: CLOSE_MILLISECONDS,
    onData(stream, { envelope }, answer) {
      const recipients = envelope.rcptTo.map(({ address }) => address);
      const work = read(stream)
        .then((raw) => (raw ? store(raw, recipients) : undefined))
        .then(
          () => answer(null, "stored"),
          (error: unknown) => {
            log(`Mailbox: a mail could not be kept: ${error instanceof Error ? error.name : typeof error}`);
            answer(Object.assign(new Error("could not be kept"), { responseCode: 451 }));
          },
        )
        .finally(() => storing.delete(work));
      storing.add(work);
    },
  });
  // Without a listener, a client that hangs up would end the process.
  server.on("error", (error) => log(`Mailbox: a connection failed: ${error.name}`));
  const listening = server.listen(port, "127.0.0.1");
  await once(listening, "listening");
  const { port: open } = listening.address() as AddressInfo;

  return {
    url: `smtp://127.0.0.1:${open}`,
    async close() {
      await new Promise<void>((resolve) => server.close(resolve));
      await Promise.all(storing);
    },
  };
}

/** The whole mail, or `null` when it is too large: nothing of that is kept in memory. */
async function read(stream: SMTPServerDataStream): Promise<Buffer | null> {
  let chunks: Buffer[] = [];
  for await (const chunk of stream) {
    if (stream.sizeExceeded) chunks = [];
    else chunks.push(chunk);
  }
  return stream.sizeExceeded ? null : Buffer.concat(chunks);
}

export interface Mail {
  /** The recipients of the envelope, not of the header: one address, or several separated by commas. */
  to: string;
  /** `Name <address>`, or the address alone. */
  from: string;
  /** The address alone. */
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
  messageId: string | null;
  /** Every header by its name in lower case; a repeated one has a line for each value. */
  headers: Record<string, string>;
}

async function readMail(raw: Buffer, recipients: string[]): Promise<Mail> {
  const email = await PostalMime.parse(raw);
  const headers = new Map<string, string>();
  for (const { key, value } of email.headers) {
    const before = headers.get(key);
    headers.set(key, before === undefined ? value : `${before}\n${value}`);
  }
  return {
    to: recipients.join(", "),
    from: email.from ? nameAndAddress(email.from) : "",
    replyTo: email.replyTo?.flatMap(addresses).join(", ") ?? null,
    subject: email.subject ?? "",
    text: email.text ?? "",
    html: email.html ?? "",
    messageId: email.messageId || null,
    headers: Object.fromEntries(headers),
  };
}

function nameAndAddress(sender: Address): string {
  const address = addresses(sender).join(", ");
  return sender.name ? `${sender.name} <${address}>` : address;
}

function addresses({ address, group = [] }: Address): string[] {
  return address === undefined ? group.map((member) => member.address) : [address];
}

const SCHEMA: SandboxSchema = {
  name: "sandbox_mail",
  version: 1,
  tables: `
-- Mail in the fields of /sandbox/mail.json. Its Message-ID is generated from it: one writer per fact.
CREATE TABLE sandbox_mail.messages (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  mail jsonb NOT NULL,
  message_id text GENERATED ALWAYS AS (mail->>'messageId') STORED UNIQUE,
  received_at timestamptz NOT NULL DEFAULT now()
);
`,
};

export interface StoredMail extends Mail {
  id: number;
  receivedAt: Date;
}

/** Stores a mail. @returns false when its Message-ID exists already, which leaves that mail unchanged */
async function storeMail(pool: Pool, mail: Mail): Promise<boolean> {
  const { rowCount } = await pool.query(
    "INSERT INTO sandbox_mail.messages (mail) VALUES ($1) ON CONFLICT (message_id) DO NOTHING",
    // PostgreSQL stores every character but NUL.
    [
      JSON.stringify(mail, (_, value) =>
        typeof value === "string" ? value.replaceAll("\0", "\u{FFFD}") : value,
      ),
    ],
  );
  return rowCount === 1;
}

async function findMail(pool: Pool, id?: number): Promise<StoredMail[]> {
  const { rows } = await pool.query<{ id: number; mail: Mail; receivedAt: Date }>(
    `SELECT id, mail, received_at AS "receivedAt" FROM sandbox_mail.messages
     WHERE id = $1 OR $1 IS NULL ORDER BY id DESC`,
    [id],
  );
  return rows.map(({ mail, ...row }) => ({ ...row, ...mail }));
}
