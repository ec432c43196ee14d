import { type Html, html, sandboxDocument } from "../web.ts";
import type { StoredMail } from "./mailbox.ts";

export function listPage(mails: StoredMail[], smtpUrl: string): Html {
  return mailboxDocument(
    "Mail",
    html`<h1>Mail</h1>
      <p class="quiet">New mail arrives a second or two after it is sent. Reload to see it.</p>
      <a class="button" href="/sandbox/mail">Reload</a>
      ${mails.length > 0 ? list(mails) : emptyState(smtpUrl)}`,
  );
}

function list(mails: StoredMail[]): Html {
  return html`<ol class="mails">${mails.map(
    (mail) => html`
        <li>
          <a href="/sandbox/mail/${String(mail.id)}">${subjectOf(mail)}</a>
          <p class="quiet">To ${mail.to} · ${time(mail.receivedAt)}</p>
        </li>`,
  )}
      </ol>`;
}

function emptyState(smtpUrl: string): Html {
  return html`<p>No mail yet. Everything <a href="/">the site</a> sends shows up here instead of being delivered. Use a form
        there that sends an email, then reload.</p>
      <p>Other programs on this machine can send to <code>${smtpUrl}</code>, without a password.</p>`;
}

export function mailPage(mail: StoredMail): Html {
  const facts: [string, Html | string | null | undefined][] = [
    ["From", mail.from],
    ["To", mail.to],
    ["Reply to", mail.replyTo],
    ["Received", time(mail.receivedAt)],
  ];
  return mailboxDocument(
    subjectOf(mail),
    html`<a class="back" href="/sandbox/mail">All mail</a>
      <h1>${subjectOf(mail)}</h1>
      <dl>${facts.map(([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      ${
        mail.html &&
        html`<h2>In a mail program</h2>
      <iframe title="The mail" sandbox="allow-top-navigation-by-user-activation"
        srcdoc="${withLinksOnTop(mail.html)}"></iframe>`
      }
      ${mail.text && html`<h2>As text</h2><pre>${mail.text}</pre>`}`,
  );
}

export function notFoundPage(): Html {
  return mailboxDocument(
    "Mail not found",
    html`<h1>This mail does not exist</h1>
      <p>The link may be incomplete, or the mail was deleted with its database.</p>
      <a class="button" href="/sandbox/mail">All mail</a>`,
  );
}

function subjectOf({ subject }: StoredMail): string {
  return subject || "(no subject)";
}

function time(when: Date): Html {
  const shown = when.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });
  return html`<time datetime="${when.toISOString()}">${shown} UTC</time>`;
}

/** The mail's links open in the whole window, not inside the frame that shows it. */
function withLinksOnTop(mail: string): string {
  return mail.replace(/^\s*(<!doctype[^>]*>)?/i, '$&<base target="_top">');
}

function mailboxDocument(title: string, content: Html): Html {
  return sandboxDocument({
    title: `${title} · Mailbox sandbox`,
    notice: "No email is really sent.",
    style: STYLE,
    content,
  });
}

/** Wide enough for a mail as it is read on a desktop. */
const STYLE = html`
main { max-width: 44rem; }
a { color: inherit; text-underline-offset: 0.2em; }
main > .button { width: fit-content; margin-bottom: 2rem; }
.back { display: inline-block; padding: 0.6rem 0; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.0625rem; }
.mails { list-style: none; margin: 1.5rem 0; padding: 0; }
.mails li { border-top: 1px dotted var(--rule); padding: 0.35rem 0; overflow-wrap: anywhere; }
.mails a { display: block; padding: 0.6rem 0 0.2rem; font-weight: 650; }
.mails p { margin: 0 0 0.6rem; font-size: 0.9375rem; }
dl { margin: 1rem 0; }
dl div { display: flex; gap: 0.75rem; }
dt { flex: none; width: 5rem; color: var(--quiet); }
iframe { display: block; width: 100%; height: min(40rem, 80vh); border: 1px solid var(--rule); resize: vertical; }
pre, code { font-family: ui-monospace, monospace; font-size: 0.9375rem; overflow-wrap: anywhere; }
pre { margin: 0; white-space: pre-wrap; }
`;
