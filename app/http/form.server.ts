import { data } from "react-router";
import { z } from "zod";
import { ACCOUNT_FIELD } from "../ui/account-mark.ts";
import { BUILD_FIELD } from "../ui/build.ts";

/** Conform's own fields, which it throws on when they are not JSON, and marks judged before any route (decision 0077). */
const NOT_FOR_ROUTES = ["__intent__", "__state__", ACCOUNT_FIELD, BUILD_FIELD];

/** Conform parses brackets and dots as arrays, and allocates them: `email[99999999]` would exhaust the memory. */
const FIELD_NAME = /^\w{1,50}$/;

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** @param list the one repeatable field. @throws the 400 page when not URL-encoded, or with repeated or oddly named fields */
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

/** For fields that nobody types. @throws the 400 page for others, also for extra ones, which a customer may not choose */
export async function parseForm<Shape extends z.ZodRawShape>(request: Request, shape: Shape) {
  const parsed = z.strictObject(shape).safeParse(Object.fromEntries(await readForm(request)));
  if (!parsed.success) throw data(null, { status: 400 });
  return parsed.data;
}

export function isForm(contentType: string | null | undefined): boolean {
  return FORM.test(contentType ?? "");
}

/** A form sent by React Router, for the data of its page. */
export function isDataSubmission({ method, url }: Request): boolean {
  return method === "POST" && new URL(url).pathname.endsWith(".data");
}

function fieldsOf(form: FormData, list?: string): FormData | null {
  const names = [...form.keys()];
  const single = names.filter((name) => name !== list);
  if (names.some((name) => !FIELD_NAME.test(name)) || new Set(single).size < single.length) return null;
  for (const name of NOT_FOR_ROUTES) form.delete(name);
  return form;
}

/** Sent by a browser, not a script or a program. */
export function isForPage({ headers }: { headers: Pick<Headers, "get"> }): boolean {
  return headers.get("sec-fetch-mode") === "navigate";
}
