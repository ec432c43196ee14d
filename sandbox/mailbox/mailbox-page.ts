import { sandboxDocument } from "../page/document.ts";
import { type Html, html } from "../page/html.ts";
import { mailboxStyle } from "./mailbox-style.ts";
import type { KeptMail } from "./store.ts";

/** Every mail, newest first, or how to get a first one. */
export function listPage(mails: KeptMail[], smtpUrl: string): Html {
  return mailboxDocument(
    "Mail",
    html`<h1>Mail</h1>
      <p class="quiet">New mail comes a second or two after it was sent. This page does not change by itself.</p>
      <a class="button" href="/sandbox/mail">Look again</a>
      ${mails.length > 0 ? list(mails) : emptyState(smtpUrl)}`,
  );
}

function list(mails: KeptMail[]): Html {
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
  return html`<p>Nothing has come yet. Whatever <a href="/">the site</a> sends is shown here instead of being delivered:
        use a form there that promises a mail, then look again.</p>
      <p>Other programs on this machine can send to <code>${smtpUrl}</code>, without a password.</p>`;
}

/** One mail, as a mail program would show it and as text. */
export function mailPage(mail: KeptMail): Html {
  const facts: [string, Html | string | null | undefined][] = [
    ["From", mail.from],
    ["To", mail.to],
    ["Reply to", mail.replyTo],
    ["Came", time(mail.receivedAt)],
  ];
  return mailboxDocument(
    subjectOf(mail),
    html`<a class="back" href="/sandbox/mail">All mail</a>
      <h1>${subjectOf(mail)}</h1>
      <dl>${facts.map(([name, value]) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      ${
        mail.html &&
        html`<h2>As a mail program shows it</h2>
      <iframe title="The mail" sandbox="allow-top-navigation-by-user-activation"
        srcdoc="${withLinksOnTop(mail.html)}"></iframe>`
      }
      ${mail.text && html`<h2>As text</h2><pre>${mail.text}</pre>`}`,
  );
}

export function notFoundPage(): Html {
  return mailboxDocument(
    "Mail not found",
    html`<h1>There is no such mail</h1>
      <p>The address may be incomplete, or the mail went with its database.</p>
      <a class="button" href="/sandbox/mail">All mail</a>`,
  );
}

function subjectOf({ subject }: KeptMail): string {
  return subject || "(no subject)";
}

function time(when: Date): Html {
  const shown = when.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });
  return html`<time datetime="${when.toISOString()}">${shown} UTC</time>`;
}

/** A link in a mail opens as a page of its own, not inside the frame that shows the mail. */
function withLinksOnTop(mail: string): string {
  return mail.replace(/^\s*(<!doctype[^>]*>)?/i, '$&<base target="_top">');
}

function mailboxDocument(title: string, content: Html): Html {
  return sandboxDocument({
    title: `${title} · Mailbox sandbox`,
    notice: "This mail reaches nobody but you.",
    style: mailboxStyle,
    content,
  });
}
