import { pageResponse } from "../../page/responses.ts";
import { type Context, isMalformed, readForm } from "../context.ts";
import type { Provider } from "../endpoints.ts";
import { isEmailAddress, PEOPLE, type Person, personAt } from "../people.ts";
import { findRequest } from "./authorization-request.ts";
import { redirectDenied, signIn } from "./authorize.ts";
import { CHECKBOXES, chooserResponse, expiredPage } from "./chooser-page.ts";

/** The button that was pressed in the account chooser: a person, "Continue" for another address, or "Cancel". */
export async function choose(provider: Provider, context: Context): Promise<Response> {
  const form = await readForm(context.request);
  const id = isMalformed(form) ? "" : (form.get("request") ?? "");
  const request = await findRequest(context.pool, provider, id);
  if (!request) return pageResponse(410, expiredPage(provider));
  const choice = form.get("choice");
  if (choice === "cancel") return redirectDenied(provider, request);
  const known = PEOPLE[provider].find(({ email }) => email === choice);
  if (known) return signIn(provider, request, known, context);
  const email = foldAddress(form.get("email")?.slice(0, 1000) ?? "");
  const isChecked = form.has(CHECKBOXES[provider].name);
  if (!isEmailAddress(email)) return chooserResponse(provider, id, context, { email, isChecked });
  return signIn(provider, request, otherPerson(provider, email, isChecked), context);
}

/** Somebody by the address that was typed; the checkbox below it says what is special about them. */
function otherPerson(provider: Provider, email: string, isChecked: boolean): Person {
  const person = personAt(provider, email);
  return provider === "google" ? { ...person, isVerified: isChecked } : { ...person, sharesEmail: isChecked };
}

/** A pasted address as providers keep it: without invisible characters, in NFKC, with its domain as A-labels (IDNA). */
function foldAddress(typed: string): string {
  const address = typed
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .trim();
  const at = address.lastIndexOf("@");
  const domain = URL.parse(`http://${address.slice(at + 1)}`)?.hostname;
  return at > 0 && domain && /[^\0-\x7f]/.test(address.slice(at + 1))
    ? address.slice(0, at + 1) + domain
    : address;
}
