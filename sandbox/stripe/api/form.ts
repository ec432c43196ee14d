import { invalidRequest } from "./errors.ts";

/** The value of a name: text, or more names. A list is an object whose names are 0, 1, 2 … */
export type FormValue = string | FormFields;
export interface FormFields {
  [name: string]: FormValue;
}

const MAX_PARAMETERS = 100;
/** Stripe's own names are four levels deep: `subscription_data[items][0][price]`. */
const MAX_DEPTH = 8;
const NAME_PATTERN = /^([^[\]]+)((?:\[[^[\]]*\])*)$/;

/**
 * Parses Stripe's form encoding, `line_items[0][price]=price_1`, into nested objects.
 * Strict, because a doubtful request is a bug in the caller.
 *
 * @throws Stripe's 400 for a malformed or repeated name
 */
export function parseForm(encoded: string): FormFields {
  const root = emptyFields();
  if (encoded.split("&", MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    throw invalidRequest("Too many parameters.");
  for (const [name, value] of new URLSearchParams(encoded)) {
    // PostgreSQL text cannot hold NUL.
    if (name.includes("\0") || value.includes("\0")) {
      throw invalidRequest("Invalid null byte in request parameters.");
    }
    assign(root, name, value);
  }
  return root;
}

function assign(root: FormFields, name: string, value: string): void {
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
  const match = NAME_PATTERN.exec(name);
  if (!match) throw invalidRequest(`Invalid parameter name: ${name}`);
  const [, first = "", rest = ""] = match;
  if (rest.split("[", MAX_DEPTH + 1).length > MAX_DEPTH)
    throw invalidRequest(`Invalid parameter name: ${name}`);
  return [first, ...Array.from(rest.matchAll(/\[([^[\]]*)\]/g), ([, key = ""]) => key)];
}

function repeated(name: string) {
  return invalidRequest(`Parameter given more than once: ${name}`, { param: name });
}

/** Without a prototype, so that `__proto__` is an ordinary name. */
function emptyFields(): FormFields {
  return Object.create(null);
}
