import { type Html, html, pageResponse, sandboxDocument } from "../web.ts";
import type { Context, Provider } from "./identity.ts";
import { PEOPLE, type Person } from "./people.ts";
import type { AuthorizationError } from "./sign-in.ts";

type InvalidEntry = { email: string; isChecked: boolean };

export function chooserResponse(
  provider: Provider,
  requestId: string,
  { redirectPrefix }: Context,
  invalid?: InvalidEntry,
): Response {
  const site = new URL(redirectPrefix);
  const page = chooserPage(provider, requestId, site.host, invalid);
  // Chromium applies form-action to the redirect after a POST too, so it has to name where that leads.
  return pageResponse(invalid ? 400 : 200, page, ["'self'", site.origin]);
}

function chooserPage(provider: Provider, requestId: string, host: string, invalid: InvalidEntry | undefined) {
  const form = (content: Html) => html`<form method="post" action="/sandbox/identity/${provider}/choose">
        <input type="hidden" name="request" value="${requestId}">${content}</form>`;
  return identityDocument(
    provider,
    "Choose an account",
    html`<h1>Choose an account</h1>
      <p class="quiet">to continue to ${host}</p>
      ${PEOPLE[provider].map((person) => form(personButton(person)))}
      ${form(otherPerson(provider, invalid))}
      ${form(html`<button class="cancel" name="choice" value="cancel">Cancel</button>`)}`,
  );
}

function personButton({ name, email, isVerified, sharesEmail }: Person): Html {
  const remark = (!isVerified && " · not verified") || (!sharesEmail && " · not shared");
  return html`
        <button class="person" name="choice" value="${email}"><b>${name}</b> <span>${email}${remark}</span></button>`;
}

function otherPerson(provider: Provider, invalid: InvalidEntry | undefined): Html {
  const { name, label } = CHECKBOXES[provider];
  const isChecked = invalid?.isChecked ?? true;
  const attributes = invalid && html` aria-invalid="true" aria-describedby="email-error" autofocus`;
  return html`
        <label for="email">Another email address</label>
        ${invalid && html`<p class="error" id="email-error">Enter an email address, such as ada@example.com</p>`}
        <div class="other">
          <input id="email" name="email" type="email" autocomplete="email" required value="${invalid?.email}"${attributes}>
          <button name="choice" value="other">Continue</button>
        </div>
        <label class="box"><input type="checkbox" name="${name}"${isChecked && html` checked`}> ${label}</label>`;
}

/** The unusual property of another address when its box is unchecked. */
export const CHECKBOXES: Record<Provider, { name: string; label: string }> = {
  google: { name: "verified", label: "The email address is verified" },
  facebook: { name: "share", label: "Share the email address" },
};

export function errorPage(provider: Provider, { status, error, description }: AuthorizationError): Html {
  return identityDocument(
    provider,
    "Access blocked",
    html`<h1>Access blocked</h1>
      <p>Error ${String(status)}: ${error}</p>
      <p class="quiet">The site's request has an error: ${description}.</p>
      <a class="button" href="/">Go to the site</a>`,
  );
}

export function expiredPage(provider: Provider): Html {
  return identityDocument(
    provider,
    "Sign-in expired",
    html`<h1>This sign-in has expired</h1>
      <p>Go back to the site and sign in again.</p>
      <a class="button" href="/">Go to the site</a>`,
  );
}

const NAMES: Record<Provider, string> = { google: "Google", facebook: "Facebook" };

function identityDocument(provider: Provider, title: string, content: Html): Html {
  return sandboxDocument({
    title: `${title} · ${NAMES[provider]} sandbox`,
    notice: `Stands in for ${NAMES[provider]}. No password needed.`,
    style: STYLE,
    content,
  });
}

/** Compact, so that everything fits the popup it is opened in: 500 by 600. */
const STYLE = html`
body { padding: 1.25rem 1.25rem 1.5rem; }
.sandbox { margin-bottom: 1.25rem; }
h1 { margin-bottom: 0.25rem; }
p { margin-bottom: 0.75rem; }
form { margin: 0 0 0.5rem; }
.person { padding: 0.35rem 0.9rem; text-align: left; line-height: 1.35; overflow-wrap: anywhere; }
.person b, .person span { display: block; }
.person span { color: var(--quiet); font-size: 0.9375rem; }
label { display: block; margin: 1rem 0 0.35rem; font-weight: 650; }
.other { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.other input {
  flex: 1 1 12rem; min-width: 0; min-height: 44px; padding: 0.5rem 0.75rem;
  border: 1px solid var(--rule); border-radius: 4px; background: none; color: inherit; font: inherit;
}
.other button { flex: none; width: auto; }
.box { display: flex; align-items: center; gap: 0.6rem; min-height: 44px; margin: 0; font-weight: inherit; }
.box input { width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--green); }
.error { margin: 0 0 0.35rem; color: var(--coral); }
.cancel { border-color: transparent; color: var(--quiet); text-decoration: underline; text-underline-offset: 0.2em; }
`;
