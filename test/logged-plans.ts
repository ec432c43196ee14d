import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Client } from "pg";
import { type Node, normalise, PLANNER, tablesReadWhole } from "./plans.ts";

/** Has PostgreSQL log the plan of every statement that this role runs. @param url as a superuser */
export async function logPlans(url: string, role: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const settings = {
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_format": "json",
    "auto_explain.log_nested_statements": "on",
    ...PLANNER,
  };
  for (const [name, value] of Object.entries(settings))
    await client.query(`ALTER ROLE ${role} SET ${name} = '${value}'`);
  await client.end();
}

/** A statement whose plan was logged, and the large tables that this plan reads whole. */
export interface LoggedStatement {
  text: string;
  whole: string[];
}

/**
 * Reads the plans in a log of PostgreSQL's, each text once. In the tests' databases, which have hardly a row, one way to find them
 * is as good as another, so that all are to be looked at again with rows.
 */
export async function readLoggedPlans(logFile: string): Promise<LoggedStatement[]> {
  const statements = new Map<string, LoggedStatement>();
  let lines: string[] | null = null;
  const end = () => {
    if (!lines) return;
    const { "Query Text": text, Plan: plan } = JSON.parse(lines.join("\n")) as {
      "Query Text": string;
      Plan: Node;
    };
    lines = null;
    // Lists of any length are one statement.
    const key = normalise(text.replaceAll(/\$\d+(, \$\d+)+/g, "$…"));
    const whole = tablesReadWhole(plan);
    if (!statements.has(key) || whole.length > 0) statements.set(key, { text, whole });
  };
  for await (const line of createInterface({ input: createReadStream(logFile) })) {
    if (line.startsWith("\t")) lines?.push(line);
    else {
      end();
      if (/ LOG: {2}duration: [\d.]+ ms {2}plan:$/.test(line)) lines = [];
    }
  }
  end();
  return [...statements.values()];
}
