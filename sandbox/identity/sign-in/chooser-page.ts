import { sandboxDocument } from "../../page/document.ts";
import { type Html, html } from "../../page/html.ts";
import type { Face } from "../clients.ts";
import { type Person, people } from "../people.ts";
import type { Fault } from "./authorization-request.ts";
import { chooserStyle } from "./chooser-style.ts";

/** What was sent with something typed that is no address. */
export interface Mistake {
  typed: string;
  isTicked: boolean;
}

interface Chooser {
  face: Face;
  requestId: string;
  /** Where the person goes on to: `site.example` */
  host: string;
  mistake?: Mistake | undefined;
}

/** The page on which a person says who they are. */
export function chooserPage({ face, requestId, host, mistake }: Chooser): Html {
  const form = (content: Html) => html`<form method="post" action="/sandbox/identity/${face}/choose">
        <input type="hidden" name="request" value="${requestId}">${content}</form>`;
  return identityDocument(
    face,
    "Choose an account",
    html`<h1>Choose an account</h1>
      <p class="quiet">to continue to ${host}</p>
      ${people[face].map((person) => form(personButton(person)))}
      ${form(otherPerson(face, mistake))}
      ${form(html`<button class="cancel" name="choice" value="cancel">Cancel</button>`)}`,
  );
}

function personButton({ name, email, isVerified, sharesEmail }: Person): Html {
  const remark = (!isVerified && " · not verified") || (!sharesEmail && " · not shared");
  return html`
        <button class="person" name="choice" value="${email}"><b>${name}</b> <span>${email}${remark}</span></button>`;
}

function otherPerson(face: Face, mistake: Mistake | undefined): Html {
  const tick = boxes[face];
  const isTicked = mistake?.isTicked ?? true;
  const invalid = mistake && html` aria-invalid="true" aria-describedby="email-error" autofocus`;
  return html`
        <label for="email">Another email address</label>
        ${mistake && html`<p class="error" id="email-error">Enter an email address, such as ada@example.com</p>`}
        <div class="other">
          <input id="email" name="email" type="email" autocomplete="email" required value="${mistake?.typed}"${invalid}>
          <button name="choice" value="other">Continue</button>
        </div>
        <label class="box"><input type="checkbox" name="${tick.name}"${isTicked && html` checked`}> ${tick.label}</label>`;
}

/** What is special about another address when it is left empty. */
export const boxes: Record<Face, { name: string; label: string }> = {
  google: { name: "verified", label: "The address is verified" },
  facebook: { name: "share", label: "Share the email address" },
};

/** What the person sees when the product asked wrongly. */
export function faultPage(face: Face, { status, error, why }: Fault): Html {
  return identityDocument(
    face,
    "Access blocked",
    html`<h1>Access blocked</h1>
      <p>Error ${String(status)}: ${error}</p>
      <p class="quiet">The site's request is not in order: ${why}.</p>
      <a class="button" href="/">Go to the site</a>`,
  );
}

export function overPage(face: Face): Html {
  return identityDocument(
    face,
    "Sign-in over",
    html`<h1>This sign-in is over</h1>
      <p>It waited for too long. Go back to the site and sign in again.</p>
      <a class="button" href="/">Go to the site</a>`,
  );
}

const names: Record<Face, string> = { google: "Google", facebook: "Facebook" };

function identityDocument(face: Face, title: string, content: Html): Html {
  return sandboxDocument({
    title: `${title} · ${names[face]} sandbox`,
    notice: `Stands in for ${names[face]}. No password needed.`,
    style: chooserStyle,
    content,
  });
}
