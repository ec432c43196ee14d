/** It was not done: nothing like that exists, a rule forbids it, or a service is away. */
export const FAILED = 1;
/** The command line was not understood. */
export const USAGE_ERROR = 2;

/** What a command has to say, for people and for programs. */
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
  /** What it does, in one line. */
  summary: string;
  /** @throws OpsError */
  run(args: string[]): Promise<OpsAnswer>;
}

/** The commands of a subject, by their first word. */
export type OpsCommands = Record<string, OpsCommand>;

/** Why a command did nothing, in words for the operator. */
export class OpsError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: typeof FAILED | typeof USAGE_ERROR = FAILED) {
    super(message);
    this.exitCode = exitCode;
  }
}
