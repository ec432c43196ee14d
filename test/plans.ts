import { Client } from "pg";
import { readInvariants } from "../app/db/invariants.server.ts";

/** Tables with one or more rows per person: reading one of them whole takes longer with each person. */
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
  ...["outbox", "mails", "audit_log", "rate_limits", "contact_messages", "waitlist", "erasures"],
];

/** Indexes of the few rows that wait for something, which may be read whole. */
const OF_FEW = [
  ...["outbox_open_index", "outbox_failing_index", "outbox_run_at_index", "outbox_running_index"],
  ...[
    "mails_waiting_index",
    "plan_changes_open_index",
    "stripe_invoices_disputed_index",
    "stripe_invoices_next_attempt_index",
  ],
  // Rows stay in them until they are paid, or for a day.
  ...["checkout_attempts_check_at_index", "stripe_subscriptions_incomplete_index"],
  // From before it was known until when a plan gives access.
  "stripe_subscriptions_never_synced_index",
];

/** Statements that may read large tables whole, by what is in their text: which tables, all if it says none, and why. */
const MEANT: { text: string; tables?: string[]; because: string }[] = [
  {
    text: "SELECT FROM customers WHERE created_at <",
    tables: ["customers"],
    because: "ends at the first customer, and the first are the oldest",
  },
  {
    text: "EXISTS (SELECT FROM customers) AS customers",
    tables: ["customers"],
    because: "ends at the first row, whichever it is",
  },
  { text: "INSERT INTO database_purpose", because: "ends at the first row, once, when a site first starts" },
  // An operator's command, documented to read everything.
  ...readInvariants().map(({ rule, query }) => ({
    text: normalize(query).replace(/;$/, ""),
    because: `npm run ops -- invariants: ${rule}`,
  })),
  // An operator's lists, along the index that has their order until a page is full, past the few rows that are not wanted.
  ...[
    '"access_until" > now()) order by "user"."created_at" DESC',
    `AND newer.source = 'promo' AND newer.revoked_at IS NULL`,
    '"contact_messages"."answered_at" is not null order by',
    '"mails"."sent_at" is not null order by',
  ].map((text) => ({
    text,
    because:
      "nearly all rows are wanted: few are over, or still wait, and if few pay they are looked up instead",
  })),
  ...['"audit_log"."actor" = $1 order by', '"audit_log"."action" = $1 order by'].map((text) => ({
    text,
    because: "one of three that did it all; for a user who did little there is an index by who, and by what",
  })),
  {
    text: 'waitlist.queue_position IS NOT NULL order by "waitlist"."queue_position" asc limit',
    because: "the first of the queue, along the index of those who wait",
  },
  ...[
    "(SELECT count(*)::int FROM waitlist WHERE waitlist.invitation_id IS NULL",
    'group by "waitlist"."referred_by"',
  ].map((text) => ({ text, because: "an operator's count of the whole list: 100 ms for a million" })),
  // Queries of the tests themselves, as the site's role.
  ...["SELECT FROM user_subscriptions", "DELETE FROM rate_limits", "LIKE '%first feature of your plan%'"].map(
    (text) => ({ text, because: "a test looks, or tidies up" }),
  ),
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
 * Large tables of a plan that are read from the first row to the last: without an index, or along one with nothing to look for.
 *
 * Along one, a LIMIT may end it, if each row that is read is one that it counts: nothing between the two throws rows away, by a filter
 * or because there is nothing to join them with, or needs all of them before it gives the first.
 */
function tablesReadWhole(node: Node, isLimited = false): string[] {
  const { "Node Type": type, "Relation Name": table = "", Plans: below = [] } = node;
  const isWhole = /^(Seq|Index|Index Only|Bitmap Heap) Scan$/.test(type) && !hasCondition(node);
  const isEnded = isLimited && type !== "Seq Scan" && !node.Filter;
  const found = isWhole && !isEnded && LARGE.includes(table) ? [table] : [];
  const limits = type === "Limit" || (isLimited && givesRowsAsItReads(node));
  return [...found, ...below.flatMap((each) => tablesReadWhole(each, limits && isOuter(each)))];
}

/** Incremental Sort: of rows that an index has in order but for those that are alike, so that it reads few more than it gives. */
const givesRowsAsItReads = (node: Node) =>
  !/Aggregate|^Sort|Hash/.test(node["Node Type"]) &&
  !node.Filter &&
  !node["Join Filter"] &&
  (node["Join Type"] ?? "Left") === "Left";

/** Not the inner side of a join, which is looked up for each row. */
const isOuter = (node: Node) => (node["Parent Relationship"] ?? "Outer") === "Outer";

function hasCondition(node: Node): boolean {
  if (node["Node Type"] === "Seq Scan") return false;
  if (OF_FEW.includes(node["Index Name"] ?? "")) return true;
  return node["Index Cond"] !== undefined || (node.Plans ?? []).some(hasCondition);
}

/** A text in which space makes no difference. */
function normalize(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Whether a statement may read this table whole. */
const isMeant = (text: string, table: string) =>
  MEANT.some((meant) => (meant.tables?.includes(table) ?? true) && normalize(text).includes(meant.text));

/**
 * Large tables that a statement reads whole, whatever its values are.
 *
 * @param client of a database with rows, so that there is something to choose between, and with PLANNER
 */
export async function wholeReadsOf(client: Client, text: string): Promise<string[]> {
  if (!/^\s*\(?(with|select|insert|update|delete)\b/i.test(text)) return [];
  // Planned for whatever it is, a pattern might begin with anything; searches are for what begins with some letters.
  const planned = text.replaceAll(/LIKE \$\d+/g, "LIKE 'ada%'");
  const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Node }] }>(
    `EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${planned}`,
  );
  const tables = rows.flatMap((row) => tablesReadWhole(row["QUERY PLAN"][0].Plan));
  return [...new Set(tables)].filter((table) => !isMeant(text, table));
}

/** Connects to look at plans. */
export async function connectPlanner(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const [name, value] of Object.entries(PLANNER)) await client.query(`SET ${name} = ${value}`);
  return client;
}
