import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import type { Queryable } from "../db/client.server.ts";
import { enqueue } from "../outbox/outbox.server.ts";
import type { Site } from "../site.ts";
import type { Mail } from "./mail.server.ts";

/** What a mail says, once: both of its parts, HTML and text, are made of it. */
export interface Message extends Pick<Mail, "to" | "subject" | "replyTo" | "leaveUrl"> {
  /** One paragraph each, in order. */
  paragraphs: string[];
  /** The one thing to do, after the paragraphs. */
  action?: { label: string; url: string };
  /** Why this came, and how to end it: one paragraph each, after everything else. */
  footnotes: { text: string; link?: { label: string; url: string } }[];
}

/** Writes a mail in the caller's own transaction: it is sent exactly when the reason for it was committed. */
export async function enqueueMail(tx: Queryable, site: Site, message: Message): Promise<void> {
  const { to, subject, replyTo, leaveUrl } = message;
  await enqueue(tx, "send_mail", {
    to,
    subject,
    replyTo,
    leaveUrl,
    text: toText(site, message),
    html: `<!doctype html>${renderToStaticMarkup(<Letter site={site} message={message} />)}`,
  });
}

function toText(site: Site, { paragraphs, action, footnotes }: Message): string {
  return [
    ...paragraphs,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    "-- ",
    ...footnotes.map(({ text, link }) => (link ? `${text}\n${link.label}: ${link.url}` : text)),
    `${site.product}\n${site.origin}`,
  ].join("\n\n");
}

const INK = "#1b1a17";
const QUIET = "#5c574b";

/** Mail programs know neither stylesheets nor themes, so the styles are on the elements and the paper is light. */
function Letter({ site, message }: { site: Site; message: Message }) {
  const { subject, paragraphs, action, footnotes } = message;
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light only" />
        <title>{subject}</title>
      </head>
      <body style={{ margin: 0, background: "#fbf6ea", color: INK }}>
        <div
          style={{
            maxWidth: 520,
            margin: "0 auto",
            padding: "32px 24px",
            fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
            fontSize: 17,
            lineHeight: 1.55,
          }}
        >
          <p style={{ margin: "0 0 28px" }}>
            <Tag>{site.product}</Tag>
          </p>
          {paragraphs.map((paragraph) => (
            <p key={paragraph} style={{ margin: "0 0 16px", whiteSpace: "pre-line" }}>
              {paragraph}
            </p>
          ))}
          {action && <Action {...action} />}
          <hr style={{ border: 0, borderTop: "1px dashed #b9ae93", margin: "32px 0 16px" }} />
          {footnotes.map(({ text, link }) => (
            <p key={text} style={{ margin: "0 0 8px", fontSize: 14, color: QUIET }}>
              {text}{" "}
              {link && (
                <a href={link.url} style={{ color: QUIET }}>
                  {link.label}
                </a>
              )}
            </p>
          ))}
        </div>
      </body>
    </html>
  );
}

function Tag({ children }: { children: ReactNode }) {
  return (
    <span
      style={{
        background: "#ffd84d",
        padding: "4px 10px",
        fontFamily: "'Iowan Old Style', 'Palatino Linotype', Palatino, serif",
        fontWeight: 700,
        fontSize: 20,
      }}
    >
      {children}
    </span>
  );
}

/** A button, and its address in the open for whoever's mail program shows no buttons. */
function Action({ label, url }: { label: string; url: string }) {
  return (
    <>
      <p style={{ margin: "24px 0" }}>
        <a
          href={url}
          style={{
            display: "inline-block",
            background: "#17613b",
            color: "#fffdf6",
            padding: "12px 22px",
            fontWeight: 600,
            textDecoration: "none",
          }}
        >
          {label}
        </a>
      </p>
      <p style={{ margin: 0, fontSize: 14, color: QUIET, overflowWrap: "anywhere" }}>
        Or open this address: <a href={url}>{url}</a>
      </p>
    </>
  );
}
