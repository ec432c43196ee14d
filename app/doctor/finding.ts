/** `warn`: look at it some day. `fail`: act now. */
export type Level = "ok" | "warn" | "fail";

export interface Finding {
  /** In a word: `mail`. */
  check: string;
  level: Level;
  says: string;
  advice?: string;
}

export type Found = readonly (Omit<Finding, "check"> | false)[];

export const ok = (says: string) => ({ level: "ok", says }) as const;
export const warn = (says: string, advice: string) => ({ level: "warn", says, advice }) as const;
export const fail = (says: string, advice: string) => ({ level: "fail", says, advice }) as const;

const LEVELS: readonly Level[] = ["ok", "warn", "fail"];

export function worstOf(findings: readonly Pick<Finding, "level">[]): Level {
  return LEVELS.findLast((level) => findings.some((finding) => finding.level === level)) ?? "ok";
}
