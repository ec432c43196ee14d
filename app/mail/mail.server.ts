import { createTransport } from "nodemailer";
import { z } from "zod";
import type { MailConfig } from "../config/config.server.ts";
import { isAddressRefused, MailError } from "./mail-error.server.ts";

/** A mail as it waits in the outbox, ready to be sent. */
export interface Mail {
  /** One address, without a name. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** One address, without a name. */
  replyTo?: string;
  /** The address whose POST ends mails of this kind (RFC 8058). */
  leaveUrl?: string;
}

/** The way out for mail, or why there is none. */
export type Mailer =
  | {
      isOn: true;
      /**
       * Hands a mail to the mail server.
       *
       * @param id of the outbox row: tried again, the mail keeps its Message-ID, so that it is read once
       * @returns false when nobody has that address, so that trying again is of no use
       * @throws MailError when the server is away, or refuses for any other reason
       */
      send(mail: Mail, id: string): Promise<boolean>;
      close(): void;
    }
  | { isOn: false; reason: string };

declare module "../http/context.server.ts" {
  interface App {
    mailer: Mailer;
  }
}

const TIMEOUT_MILLISECONDS = 10_000;

/** @param sandboxSmtpUrl where the sandbox takes mail, used when no other server is set */
export function connectMail(
  config: MailConfig,
  sender: { name: string; publicOrigin: string },
  sandboxSmtpUrl: string | null,
): Mailer {
  if (config.mode === "off") return { isOn: false, reason: config.reason };
  const url = config.mode === "smtp" ? config.url : sandboxSmtpUrl;
  if (!url) return { isOn: false, reason: "the sandbox takes no mail" };
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 2,
    // Once, for a pooled connection that was found closed. What fails more often is the outbox's to try again.
    maxRequeues: 1,
    dnsTimeout: TIMEOUT_MILLISECONDS,
    connectionTimeout: TIMEOUT_MILLISECONDS,
    greetingTimeout: TIMEOUT_MILLISECONDS,
    socketTimeout: TIMEOUT_MILLISECONDS,
    // A mail is what the outbox says and nothing that it names.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const from = { name: sender.name, address: config.from };
  const { hostname } = new URL(sender.publicOrigin);

  async function send({ to, replyTo, subject, text, html, leaveUrl }: Mail, id: string): Promise<boolean> {
    if (!z.email().safeParse(to).success) return false;
    try {
      await transport.sendMail({
        from,
        to: single(to),
        replyTo: replyTo && single(replyTo),
        subject,
        text,
        html,
        messageId: `<mail-${id}@${hostname}>`,
        headers: leaveUrl
          ? { "List-Unsubscribe": `<${leaveUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }
          : undefined,
      });
      return true;
    } catch (error) {
      if (isAddressRefused(error)) return false;
      throw new MailError(error);
    }
  }

  return { isOn: true, send, close: () => transport.close() };
}

/** Bare text would be read as a list: what somebody typed into one field must not reach several people. */
function single(address: string) {
  return { name: "", address };
}
