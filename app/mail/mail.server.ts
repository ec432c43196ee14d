import { createTransport } from "nodemailer";
import type { MailConfig } from "../config.server.ts";

/** A mail as it waits in the outbox, ready to be sent. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
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
       * @throws nodemailer's errors when the server is away or refuses
       */
      send(mail: Mail, id: string): Promise<void>;
      close(): void;
    }
  | { isOn: false; reason: string };

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
    connectionTimeout: TIMEOUT_MILLISECONDS,
    greetingTimeout: TIMEOUT_MILLISECONDS,
    socketTimeout: TIMEOUT_MILLISECONDS,
  });
  const { hostname } = new URL(sender.publicOrigin);
  return {
    isOn: true,
    async send({ leaveUrl, ...mail }, id) {
      await transport.sendMail({
        ...mail,
        from: { name: sender.name, address: config.from },
        messageId: `<mail-${id}@${hostname}>`,
        headers: leaveUrl
          ? { "List-Unsubscribe": `<${leaveUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }
          : undefined,
      });
    },
    close: () => transport.close(),
  };
}
