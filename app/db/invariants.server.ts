import { readFileSync } from "node:fs";
import type { Pool } from "pg";

export interface Violation {
  rule: string;
  rows: Record<string, unknown>[];
}

/** @returns the rules of db/invariants.sql that do not hold, with the offending rows */
export async function findViolations(pool: Pick<Pool, "query">): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const { rule, query } of readInvariants()) {
    const { rows } = await pool.query(query);
    if (rows.length > 0) violations.push({ rule, rows });
  }
  return violations;
}

/** Each with the comment above it as its rule. */
export function readInvariants(): { rule: string; query: string }[] {
  const text = readFileSync(new URL("./invariants.sql", import.meta.url), "utf8");
  const [, ...sections] = text.split(/^-- /m).slice(1);
  return sections.map((section) => {
    const [rule = "", ...query] = section.split("\n");
    return { rule, query: query.join("\n") };
  });
}
