import type Stripe from "stripe";
import { z } from "zod";
import type { Transaction } from "../transaction.ts";
import { InvalidParameterError, invalidRequest } from "./errors.ts";

/** One authenticated call of the API, as an endpoint gets it. */
export interface ApiCall {
  tx: Transaction;
  /** From the body of a POST, from the query otherwise; without `expand`. */
  params: FormFields;
  path: string;
  /** The `:id` of the endpoint's path; empty where it has none. */
  id: string;
}

/** The value of a name: text, or more names. A list is an object whose names are 0, 1, 2 … */
export type FormValue = string | FormFields;
interface FormFields {
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
    if (name.includes("\0") || value.includes("\0"))
      throw invalidRequest("Invalid null byte in request parameters.");
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
  const [, first = "", rest = ""] = NAME_PATTERN.exec(name) ?? [];
  if (!first || rest.split("[", MAX_DEPTH + 1).length > MAX_DEPTH)
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

/** Text that is not empty: in Stripe's API an empty value unsets a field. */
export const text = rule(
  (value) => value !== "",
  "parameter_invalid_empty",
  () => "You passed an empty string. We assume empty values are an attempt to unset a parameter.",
);

export const email = rule(
  (value) => value.length <= 512 && /^[^\s@]+@[^\s@]+$/.test(value),
  "email_invalid",
  (value) => `Invalid email address: ${value}`,
);

/** An absolute http(s) URL, which may contain `{CHECKOUT_SESSION_ID}`. */
export const url = rule(
  (value) => /^https?:\/\/[\w.:[\]-]+$/.test(URL.parse(value)?.origin ?? ""),
  "url_invalid",
  () => "Not a valid URL",
);

export const integer = rule(
  (value) => /^-?\d{1,15}$/.test(value),
  "parameter_invalid_integer",
  (value) => `Invalid integer: ${value}`,
).transform(Number);

export function integerBetween(min: number, max: number) {
  return integer.refine((value) => value >= min && value <= max, {
    error: `Invalid integer: must be between ${min} and ${max}`,
    params: { code: "parameter_invalid_integer" },
  });
}

export const boolean = rule(
  (value) => value === "true" || value === "false",
  "parameter_invalid_boolean",
  (value) => `Invalid boolean: ${value}`,
).transform((value) => value === "true");

/** A field that an empty value resets to null. */
export function unsettable<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === "" ? null : value), schema.nullable());
}

/** `name[0]=a&name[1]=b`, in the order of the numbers. */
export function list<Item extends z.ZodType>(item: Item) {
  return z.preprocess(inOrder, z.array(item));
}

export function single<Item extends z.ZodType>(item: Item) {
  return z.preprocess(inOrder, z.tuple([item], { error: "The sandbox takes exactly one item here." }));
}

/** Changes to metadata: an empty value removes its key; when all of it is empty (null), every key is removed. */
export const metadata = unsettable(z.record(z.string().max(40), z.string().max(500))).optional();

export function mergeMetadata(current: Stripe.Metadata, changes: z.output<typeof metadata>): Stripe.Metadata {
  if (changes === null) return {};
  const merged = Object.entries({ ...current, ...changes });
  return Object.fromEntries(merged.filter(([, value]) => value !== ""));
}

/** Parses an endpoint's parameters. @throws Stripe's 400 for the first that is wrong or unknown */
export function readParams<Schema extends z.ZodType>(schema: Schema, params: FormFields): z.output<Schema> {
  const result = schema.safeParse(params, { reportInput: true });
  if (result.success) return result.data;
  const { issues } = result.error;
  // Unknown parameters first: one may be a misspelling of a missing one.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  throw issue ? parameterError(issue) : new InvalidParameterError("Invalid request.", {});
}

function parameterError(issue: z.core.$ZodIssue): InvalidParameterError {
  const param = bracketed(issue.path);
  if (issue.code === "unrecognized_keys") {
    const unknown = bracketed([...issue.path, ...issue.keys.slice(0, 1)]);
    const message = `Received unknown parameter: ${unknown}`;
    return new InvalidParameterError(message, { code: "parameter_unknown", param: unknown });
  }
  if (issue.input === undefined) {
    const message = `Missing required param: ${param}.`;
    return new InvalidParameterError(message, { code: "parameter_missing", param });
  }
  const message =
    issue.code === "invalid_value"
      ? `Invalid ${param}: must be one of ${issue.values.join(", ")}`
      : issue.message;
  const code = issue.code === "custom" ? String(issue.params?.code ?? "") : "";
  return new InvalidParameterError(message, { code: code || "parameter_invalid", param });
}

/** `["line_items", 0, "price"]` → `line_items[0][price]` */
function bracketed(path: PropertyKey[]): string {
  return path.map((key, depth) => (depth === 0 ? String(key) : `[${String(key)}]`)).join("");
}

function rule(test: (value: string) => boolean, code: string, message: (value: string) => string) {
  return z.string().refine(test, { error: (issue) => message(String(issue.input)), params: { code } });
}

function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const numbered = Object.entries(value).sort(([a], [b]) => Number(a) - Number(b));
  return numbered.map(([, item]) => item);
}
