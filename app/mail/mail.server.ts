import type { MailConfig } from "../config/service-config.server.ts";
import { NO_TELEMETRY } from "../telemetry/telemetry.ts";
import { isEmailAddress } from "../ui/email-address.ts";
import { isAddressRefused, MailError } from "./mail-error.server.ts";

export interface Mail {
  /** Without a name. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Without a name. */
  replyTo?: string;
  /** Auto-responders may answer a person's text. */
  isFromPerson?: boolean;
  /** One-click unsubscribe (RFC 8058). */
  leaveUrl?: string;
}

export type Mailer =
  | {
      isOn: true;
      /**
       * @param id of the outbox row: a retry has the same Message-ID, so that the recipient sees one mail
       * @returns false when the address does not exist, so that retrying is useless
       * @throws MailError when the server is unreachable or rejects the mail for any other reason
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

/** @param sandboxSmtpUrl used when no other server is configured */
export function connectMail(
  config: MailConfig,
  sender: { name: string; publicOrigin: string },
  sandboxSmtpUrl: string | null,
  { tracer } = NO_TELEMETRY,
): Mailer {
  if (config.mode === "off") return { isOn: false, reason: config.reason };
  const url = config.mode === "smtp" ? config.url : sandboxSmtpUrl;
  if (!url) return { isOn: false, reason: "the sandbox takes no mail" };
  /** Loaded for the first mail: a process that only serves pages sends none. */
  const openTransport = async () =>
    (await import("nodemailer")).createTransport({
      url,
      pool: true,
      maxConnections: 2,
      // For a pooled connection that turns out to be closed. The outbox retries everything else.
      maxRequeues: 1,
      dnsTimeout: TIMEOUT_MILLISECONDS,
      connectionTimeout: TIMEOUT_MILLISECONDS,
      greetingTimeout: TIMEOUT_MILLISECONDS,
      socketTimeout: TIMEOUT_MILLISECONDS,
      // Content is never loaded from paths or URLs.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  let transport: ReturnType<typeof openTransport> | undefined;
  const from = { name: sender.name, address: config.from };
  const { hostname } = new URL(sender.publicOrigin);

  async function send(
    { to, replyTo, subject, text, html, leaveUrl, isFromPerson }: Mail,
    id: string,
  ): Promise<boolean> {
    if (!isEmailAddress(to)) return false;
    const end = tracer.step("mail send", { "mail.id": id });
    try {
      transport ??= openTransport();
      await (await transport).sendMail({
        from,
        to: singleAddress(to),
        replyTo: replyTo && singleAddress(replyTo),
        subject,
        text,
        html,
        messageId: `<mail-${id}@${hostname}>`,
        headers: {
          // So that holiday notices do not answer it (RFC 3834 §5.1).
          ...(!isFromPerson && { "Auto-Submitted": "auto-generated" }),
          ...(leaveUrl && {
            "List-Unsubscribe": `<${leaveUrl}>`,
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
          }),
        },
      });
      end();
      return true;
    } catch (error) {
      end(error);
      if (isAddressRefused(error)) return false;
      throw new MailError(error);
    }
  }

  return { isOn: true, send, close: () => void transport?.then((open) => open.close()) };
}

/** nodemailer parses a string as a list of addresses; user input is one recipient. */
function singleAddress(address: string) {
  return { name: "", address };
}
