import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { Client } from "pg";

/** Tables with a row for each person, or more: whatever reads one of them whole takes longer with each of them. */
const LARGE = [
  ...["user", "account", "session", "authenticator_apps", "passkeys", "recovery_codes", "mail_links"],
  ...["grants", "promo_codes", "redeemed_addresses", "customers", "stripe_subscriptions", "stripe_invoices"],
  ...[
    "billing_notices",
    "checkout_attempts",
    "plan_changes",
    "renewal_consents",
    "withdrawals",
    "stripe_events",
  ],
  ...[
    "outbox",
    "mails",
    "audit_log",
    "rate_limits",
    "contact_messages",
    "waitlist",
    "erasures",
    "counted_plans",
  ],
];

/** A node of EXPLAIN's JSON. */
interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Cond"?: string;
  Plans?: Node[];
  [field: string]: unknown;
}

/**
 * What keeps the planner from everything an index could do instead: in a database with hardly a row it would read tables whole
 * because they are small. What it reads whole even so has no index.
 */
export const PLANNER = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_sort: "off",
};

/**
 * Large tables of a plan that are read from the first row to the last: without an index, or along one with nothing to look
 * for. Not where a LIMIT ends it.
 */
export function tablesReadWhole(node: Node, isLimited = false): string[] {
  const { "Node Type": type, "Relation Name": table = "", Plans: below = [] } = node;
  const isWhole = /^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(type) && !hasCondition(node);
  const found = isWhole && !(isLimited && type !== "Seq Scan") && LARGE.includes(table) ? [table] : [];
  const limits = type === "Limit" || (isLimited && !/Aggregate|Sort|Hash/.test(type));
  return [...found, ...below.flatMap((each) => tablesReadWhole(each, limits))];
}

function hasCondition(node: Node): boolean {
  if (node["Node Type"] === "Seq Scan") return false;
  return (
    node["Index Cond"] !== undefined ||
    (node.Plans ?? []).some((each) => each["Index Cond"] !== undefined || hasCondition(each))
  );
}

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

/** Statements by what they read whole, and how many were looked at. */
export interface WholeReads {
  statements: number;
  whole: { text: string; tables: string[] }[];
}

/** Reads the plans in a log of PostgreSQL's, each text once. */
export async function readLoggedPlans(logFile: string): Promise<WholeReads> {
  const seen = new Set<string>();
  const whole = new Map<string, string[]>();
  let lines: string[] | null = null;
  const end = () => {
    if (!lines) return;
    const { "Query Text": text, Plan: plan } = JSON.parse(lines.join("\n")) as {
      "Query Text": string;
      Plan: Node;
    };
    lines = null;
    // Lists of any length are one statement.
    const key = text
      .replaceAll(/\$\d+(, \$\d+)+/g, "$…")
      .replaceAll(/\s+/g, " ")
      .trim();
    seen.add(key);
    const tables = tablesReadWhole(plan);
    if (tables.length > 0) whole.set(key, tables);
  };
  for await (const line of createInterface({ input: createReadStream(logFile) })) {
    if (line.startsWith("\t")) lines?.push(line);
    else {
      end();
      if (/ LOG: {2}duration: [\d.]+ ms {2}plan:$/.test(line)) lines = [];
    }
  }
  end();
  return { statements: seen.size, whole: [...whole].map(([text, tables]) => ({ text, tables })) };
}
