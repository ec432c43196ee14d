import { OpsError, readArguments, USAGE_ERROR } from "./command.ts";

/** The option for each field of a code. */
const OPTIONS = {
  tier: "tier",
  months: "months",
  forever: "forever",
  maxUses: "max-uses",
  startsAt: "starts",
  expiresAt: "expires",
  confirmedOnly: "confirmed-only",
  oncePerMailbox: "once-per-mailbox",
  note: "note",
  size: "size",
} as const;

/** What the fields are called on the command line, for `checkInput`. */
export const NAMES = {
  ...Object.fromEntries(Object.entries(OPTIONS).map(([field, option]) => [field, `--${option}`])),
  code: "CODE",
  name: "NAME",
};

const FLAGS: readonly Field[] = ["forever", "confirmedOnly", "oncePerMailbox"];

export const TERMS_USAGE =
  "[--tier TIER] [--months N | --forever] [--max-uses N] [--starts TIME] [--expires TIME] [--confirmed-only] [--once-per-mailbox]";

type Field = keyof typeof OPTIONS;

export const TERMS: readonly Field[] = [
  "tier",
  "months",
  "forever",
  "maxUses",
  "startsAt",
  "expiresAt",
  "confirmedOnly",
  "oncePerMailbox",
];

/** What was typed: the words, the fields by their names in a schema, and further options by their own. */
export interface PromoArguments {
  words: string[];
  fields: Partial<Record<Field, string | boolean>>;
  more: Record<string, string | boolean | undefined>;
}

/**
 * @param fields those that can be given
 * @param more further options, with or without a value
 * @throws OpsError for any other option
 */
export function readPromoArguments(
  args: string[],
  fields: readonly Field[] = [],
  more: Record<string, { type: "string" | "boolean" }> = {},
): PromoArguments {
  const options = fields.map((field) => [
    OPTIONS[field],
    { type: FLAGS.includes(field) ? "boolean" : "string" } as const,
  ]);
  const parsed = readArguments(args, { ...Object.fromEntries(options), ...more }, 1);
  const values = parsed.values as Record<string, string | boolean | undefined>;
  const given = fields.map((field) => [field, values[OPTIONS[field]]]);
  return {
    words: parsed.positionals,
    fields: Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    more: Object.fromEntries(Object.keys(more).map((name) => [name, values[name]])),
  };
}

/** The word that a command needs. @throws OpsError when there is none */
export function requireWord([word]: readonly string[], name: string): string {
  if (!word) throw new OpsError(`${name} is missing`, USAGE_ERROR);
  return word;
}
