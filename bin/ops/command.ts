import { type ParseArgsConfig, parseArgs } from "node:util";
import type { z } from "zod";

/** It was not done: nothing like that exists, a rule forbids it, or a service is away. */
export const FAILED = 1;
/** The command line was not understood. */
export const USAGE_ERROR = 2;

/** A command's answer, for people and for programs. */
export interface OpsAnswer {
  text: string;
  /** As JSON. */
  data: unknown;
  /** 0 unless it says otherwise. */
  exitCode?: number;
}

export interface OpsCommand {
  /** Its words and arguments: `find EMAIL`. */
  usage: string;
  /** In one line. */
  summary: string;
  /** @throws OpsError */
  run(args: string[]): Promise<OpsAnswer>;
}

/** The commands of a subject, by their first word; `""` for a subject that is its only command. */
export type OpsCommands = Record<string, OpsCommand>;

/** Why a command did nothing, in words for the operator. */
export class OpsError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: typeof FAILED | typeof USAGE_ERROR = FAILED) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Reads a command's arguments.
 *
 * @param maxWords how many words may stand beside the options
 * @throws OpsError for more words or another option
 */
export function readArguments<Options extends NonNullable<ParseArgsConfig["options"]>>(
  args: string[],
  options: Options,
  maxWords = 0,
) {
  const parsed = attempt(() => parseArgs({ args, options, allowPositionals: true }));
  const [extra] = parsed.positionals.slice(maxWords);
  if (extra !== undefined) throw new OpsError(`unexpected: ${extra}`, USAGE_ERROR);
  return parsed;
}

/**
 * The input as a schema has it.
 *
 * @param names of fields that are no option of the same name
 * @throws OpsError with a line about each that is wrong: "--tier: choose basic or premium"
 */
export function checkInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  names: Readonly<Record<string, string>> = {},
): z.output<Schema> {
  const checked = schema.safeParse(input);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map(({ path, message }) => {
    const field = String(path[0]);
    return `${names[field] ?? `--${field}`}: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  });
  throw new OpsError(problems.join("\n"), USAGE_ERROR);
}

function attempt<Parsed>(parse: () => Parsed): Parsed {
  try {
    return parse();
  } catch (error) {
    throw new OpsError(error instanceof Error ? error.message : String(error), USAGE_ERROR);
  }
}
