import { data } from "react-router";

/** What Conform sends itself messages in. None of our forms does, and it throws at what is not JSON. */
const FIELDS_OF_CONFORM = ["__intent__", "__state__"];

/**
 * What fields of ours are called. Conform reads brackets and dots in a name as arrays and objects, and makes an array as
 * long as the index somebody writes there: `email[99999999]` would take all memory there is.
 */
const PLAIN_NAME = /^\w{1,50}$/;

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/**
 * The fields of a sent form, each there once: no form of ours has a list.
 *
 * @throws the 400 page when the body is not a form at all, or has fields no form of ours has. Files are sent as
 *   multipart/form-data, and no page takes any.
 */
export async function readForm(request: Request): Promise<FormData> {
  try {
    if (!FORM.test(request.headers.get("content-type") ?? "")) throw new TypeError("not a form of ours");
    const form = await request.formData();
    const names = [...form.keys()];
    if (names.some((name) => !PLAIN_NAME.test(name)) || new Set(names).size < names.length)
      throw new TypeError("not a form of ours");
    for (const name of FIELDS_OF_CONFORM) form.delete(name);
    return form;
  } catch {
    throw data(null, { status: 400 });
  }
}
