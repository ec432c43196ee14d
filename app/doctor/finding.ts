/** `warn`: look at it some day. `fail`: something does not work; act now. */
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

/** What one check found; what is `false` is not the case. */
export type Found = readonly (Omit<Finding, "check"> | false)[];

export const ok = (says: string) => ({ level: "ok", says }) as const;
export const warn = (says: string, advice: string) => ({ level: "warn", says, advice }) as const;
export const fail = (says: string, advice: string) => ({ level: "fail", says, advice }) as const;

const LEVELS: readonly Level[] = ["ok", "warn", "fail"];

/** The worst of what was found; `ok` when nothing was. */
export function worstOf(findings: readonly Pick<Finding, "level">[]): Level {
  return LEVELS.findLast((level) => findings.some((finding) => finding.level === level)) ?? "ok";
}
