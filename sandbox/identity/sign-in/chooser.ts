import { z } from "zod";
import { pageResponse } from "../../page/response.ts";
import type { Face } from "../clients.ts";
import type { Call } from "../context.ts";
import { type Person, people, personAt } from "../people.ts";
import { isAmbiguous, readForm } from "../read-form.ts";
import { sendBackDenied, signIn } from "./authorize.ts";
import { boxes, overPage } from "./chooser-page.ts";
import { chooserResponse } from "./chooser-response.ts";
import { findRequest } from "./requests.ts";

/** What was pressed on the chooser's page: a person, "Continue" beside another address, or "Cancel". */
export async function choose(face: Face, call: Call): Promise<Response> {
  const form = await readForm(call.request);
  const id = isAmbiguous(form) ? "" : (form.get("request") ?? "");
  const asked = await findRequest(call.pool, face, id);
  if (!asked) return pageResponse(410, overPage(face));
  const choice = form.get("choice");
  if (choice === "cancel") return sendBackDenied(face, asked);
  const known = people[face].find(({ email }) => email === choice);
  if (known) return signIn(face, asked, known, call);
  const typed = form.get("email")?.slice(0, 1000).trim() ?? "";
  const isTicked = form.has(boxes[face].name);
  if (typed.length > 254 || !z.email().safeParse(typed).success)
    return chooserResponse(face, id, call, { typed, isTicked });
  return signIn(face, asked, other(face, typed, isTicked), call);
}

/** Somebody by their address; the box beside it says what is special about them. */
function other(face: Face, email: string, isTicked: boolean): Person {
  const person = personAt(face, email);
  return face === "google" ? { ...person, isVerified: isTicked } : { ...person, sharesEmail: isTicked };
}
