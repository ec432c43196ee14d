import { html } from "../page/html.ts";

/** Wide enough for a mail as it is read at a desk. */
export const mailboxStyle = html`
main { max-width: 44rem; }
a { color: inherit; text-underline-offset: 0.2em; }
main > .button { max-width: 16rem; margin-bottom: 2rem; }
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
