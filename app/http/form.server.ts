import { data } from "react-router";
import { ACCOUNT_FIELD } from "../ui/account-mark.ts";
import { BUILD_FIELD } from "../ui/build.ts";

/**
 * Conform's own fields, which none of our forms uses, and Conform throws when they are not JSON; and whose page the form is on, of
 * which build, which was judged before any route (decision 0077).
 */
const NOT_FOR_ROUTES = ["__intent__", "__state__", ACCOUNT_FIELD, BUILD_FIELD];

/**
 * The names of our fields. Conform parses brackets and dots as arrays and objects, and allocates an array as long as the
 * index in the name: `email[99999999]` would exhaust the memory.
 */
const FIELD_NAME = /^\w{1,50}$/;

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/**
 * The fields of a submitted form, each at most once.
 *
 * @param list the one that may be there more often: what was ticked in a list
 * @throws the 400 page when the body is not a URL-encoded form (one with a file is received before: uploads.server.ts)
 *   or has repeated or oddly named fields
 */
export async function readForm(request: Request, list?: string): Promise<FormData> {
  const form = isForm(request.headers.get("content-type"))
    ? await request.formData().then(
        (sent) => fieldsOf(sent, list),
        () => null,
      )
    : null;
  if (!form) throw data(null, { status: 400 });
  return form;
}

/** Whether a body of this type is what our forms send. */
export function isForm(contentType: string | null | undefined): boolean {
  return FORM.test(contentType ?? "");
}

/** Whether React Router sent a form, for the data of its page. */
export function isDataRequest({ method, url }: Request): boolean {
  return method === "POST" && new URL(url).pathname.endsWith(".data");
}

/** The fields of a form; `null` when no form of ours has such fields. */
function fieldsOf(form: FormData, list?: string): FormData | null {
  const names = [...form.keys()];
  const single = names.filter((name) => name !== list);
  if (names.some((name) => !FIELD_NAME.test(name)) || new Set(single).size < single.length) return null;
  for (const name of NOT_FOR_ROUTES) form.delete(name);
  return form;
}

/** Whether a browser sends this to show what comes back as a page, and not a script or a program. */
export function isForPage({ headers }: { headers: Pick<Headers, "get"> }): boolean {
  return headers.get("sec-fetch-mode") === "navigate";
}
