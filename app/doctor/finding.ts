/** `warn`: look at it some day. `fail`: something does not work, and somebody has to act. */
export type Level = "ok" | "warn" | "fail";

/** What the doctor found at one place, in a line. */
export interface Finding {
  /** What was looked at, in a word: `mail`. */
  check: string;
  level: Level;
  says: string;
  /** What to do about it. */
  advice?: string;
}

const LEVELS: readonly Level[] = ["ok", "warn", "fail"];

/** The worst of what was found; `ok` when nothing was. */
export function worstOf(findings: readonly Pick<Finding, "level">[]): Level {
  return LEVELS.findLast((level) => findings.some((finding) => finding.level === level)) ?? "ok";
}
