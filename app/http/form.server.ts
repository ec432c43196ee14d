import { data } from "react-router";

/** What Conform sends itself messages in. None of our forms does, and it throws at what is not JSON. */
const FIELDS_OF_CONFORM = ["__intent__", "__state__"];

/** The fields of a sent form. @throws the 400 page when the body is not a form at all */
export async function readForm(request: Request): Promise<FormData> {
  try {
    const form = await request.formData();
    for (const name of FIELDS_OF_CONFORM) form.delete(name);
    return form;
  } catch {
    throw data(null, { status: 400 });
  }
}
