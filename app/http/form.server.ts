import { data } from "react-router";

/** The fields of a sent form. @throws the 400 page when the body is not a form at all */
export async function readForm(request: Request): Promise<FormData> {
  try {
    return await request.formData();
  } catch {
    throw data(null, { status: 400 });
  }
}
