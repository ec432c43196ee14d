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

/** Indexes of the few rows that wait for something, which may be read whole. */
const OF_FEW = [
  ...["outbox_open_index", "outbox_failing_index", "outbox_due_index", "outbox_running_index"],
  ...["mails_waiting_index", "plan_changes_open_index"],
  // Until they are paid, or for a day.
  ...["checkout_attempts_check_at_index", "stripe_subscriptions_incomplete_index"],
  // From before it was known until when a plan gives access.
  "stripe_subscriptions_never_synced_index",
];

/** Statements that may read a large table whole, by what is in their text, and why. */
const MEANT: { text: string; because: string }[] = [
  {
    text: "SELECT FROM customers WHERE created_at <",
    because: "ends at the first customer, and the first are the oldest",
  },
  { text: "INSERT INTO database_purpose", because: "ends at the first row, once, when a site first starts" },
];

/** A node of EXPLAIN's JSON. */
interface Node {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Cond"?: string;
  "Index Name"?: string;
  Plans?: Node[];
  [field: string]: unknown;
}

/**
 * What keeps the planner from everything an index could do instead: it would read small tables whole because they are small.
 * What it reads whole even so has no index.
 */
const PLANNER = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_material: "off",
};

/**
 * Large tables of a plan that are read from the first row to the last: without an index, or along one with nothing to look
 * for. Not where a LIMIT ends it.
 */
function tablesReadWhole(node: Node, isLimited = false): string[] {
  const { "Node Type": type, "Relation Name": table = "", Plans: below = [] } = node;
  const isWhole = /^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(type) && !hasCondition(node);
  const found = isWhole && !(isLimited && type !== "Seq Scan") && LARGE.includes(table) ? [table] : [];
  const limits = type === "Limit" || (isLimited && !/Aggregate|Sort|Hash/.test(type));
  return [...found, ...below.flatMap((each) => tablesReadWhole(each, limits))];
}

function hasCondition(node: Node): boolean {
  if (node["Node Type"] === "Seq Scan") return false;
  if (OF_FEW.includes(node["Index Name"] ?? "")) return true;
  return node["Index Cond"] !== undefined || (node.Plans ?? []).some(hasCondition);
}

/** Whether a statement may. */
const isMeant = (text: string) => MEANT.some((meant) => text.includes(meant.text));

/**
 * Large tables that a statement reads whole, whatever its values are.
 *
 * @param client of a database with rows, so that there is something to choose between, and with PLANNER
 */
export async function wholeReadsOf(client: Client, text: string): Promise<string[]> {
  if (!/^\s*\(?(with|select|insert|update|delete)\b/i.test(text) || isMeant(text)) return [];
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Node }] }>(
    `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${text}`,
  );
  return rows.flatMap((row) => tablesReadWhole(row["QUERY PLAN"][0].Plan));
}

/** Connects to look at plans. */
export async function connectPlanner(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const [name, value] of Object.entries(PLANNER)) await client.query(`SET ${name} = ${value}`);
  return client;
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

/** How many statements were logged, and the texts of those that may read a large table whole. */
export interface LoggedPlans {
  statements: number;
  suspects: string[];
}

/**
 * Reads the plans in a log of PostgreSQL's, each text once. In the tests' databases, which have hardly a row, one way to find them
 * is as good as another, so that a suspect is to be looked at again with rows.
 */
export async function readLoggedPlans(logFile: string): Promise<LoggedPlans> {
  const seen = new Set<string>();
  const suspects = new Map<string, string>();
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
    if (tablesReadWhole(plan).length > 0) suspects.set(key, text);
  };
  for await (const line of createInterface({ input: createReadStream(logFile) })) {
    if (line.startsWith("\t")) lines?.push(line);
    else {
      end();
      if (/ LOG: {2}duration: [\d.]+ ms {2}plan:$/.test(line)) lines = [];
    }
  }
  end();
  return { statements: seen.size, suspects: [...suspects.values()] };
}
