import { invalidRequest } from "./errors.ts";

/** What stands at a name: text, or more names. A list is an object whose names are 0, 1, 2 … */
export type FormValue = string | FormFields;
export interface FormFields {
  [name: string]: FormValue;
}

const mostParameters = 100;
/** Stripe's own go four deep: `subscription_data[items][0][price]`. */
const deepestName = 8;
const nested = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;

/**
 * Reads Stripe's form encoding, `line_items[0][price]=price_1`, into nested objects.
 * Strict, because a doubtful request is a bug in the caller: a malformed or repeated name throws 400.
 */
export function parseForm(encoded: string): FormFields {
  const root = emptyFields();
  if (encoded.split("&", mostParameters + 1).length > mostParameters)
    throw invalidRequest("Too many parameters.");
  for (const [name, value] of new URLSearchParams(encoded)) {
    // PostgreSQL text cannot hold NUL.
    if (name.includes("\0") || value.includes("\0")) {
      throw invalidRequest("Invalid null byte in request parameters.");
    }
    place(root, name, value);
  }
  return root;
}

function place(root: FormFields, name: string, value: string): void {
  const keys = keysOf(name);
  const last = keys.pop() ?? "";
  let fields = root;
  for (const key of keys) {
    const inner = fields[key] ?? emptyFields();
    if (typeof inner === "string") throw repeated(name);
    fields[key] = inner;
    fields = inner;
  }
  // `expand[]=a&expand[]=b` appends.
  const key = last === "" ? String(Object.keys(fields).length) : last;
  if (key in fields) throw repeated(name);
  fields[key] = value;
}

function keysOf(name: string): string[] {
  const match = nested.exec(name);
  if (!match) throw invalidRequest(`Invalid parameter name: ${name}`);
  const [, first = "", rest = ""] = match;
  if (rest.split("[", deepestName + 1).length > deepestName)
    throw invalidRequest(`Invalid parameter name: ${name}`);
  return [first, ...Array.from(rest.matchAll(/\[([^[\]]*)\]/g), ([, key = ""]) => key)];
}

function repeated(name: string) {
  return invalidRequest(`Parameter given more than once: ${name}`, { param: name });
}

/** Without a prototype, so that `__proto__` is a name like any other. */
function emptyFields(): FormFields {
  return Object.create(null);
}
