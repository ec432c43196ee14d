import { sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import { readFindings } from "../figures/findings.server.ts";
import { type Pulse, readPulse } from "../figures/pulse.server.ts";
import { inWords } from "../ui/in-words.ts";
import type { Finding } from "./finding.ts";

type Found = Omit<Finding, "check">[];

/** How late a job or an event may be, in seconds. */
const LATE_SECONDS = 5 * 60;
/** The comparison with Stripe is nightly, so that one that is older than this was left out. */
const COMPARED_SECONDS = 36 * 60 * 60;
/** A process renews its row every 30 seconds. */
const SEEN_SECONDS = 100;

/** Whether jobs are done, and mail goes out. */
export async function checkJobs(db: Database): Promise<Finding[]> {
  const pulse = await readPulse(db);
  return [
    ...jobsOf(pulse).map((finding) => ({ check: "jobs", ...finding })),
    ...mailOf(pulse).map((finding) => ({ check: "mail queue", ...finding })),
  ];
}

function jobsOf({ openJobs, oldestDueSeconds, stuckJobs }: Pulse): Found {
  const found: Found = [];
  if ((oldestDueSeconds ?? 0) > LATE_SECONDS)
    found.push({
      level: "fail",
      says: `a job has been due for ${inWords(oldestDueSeconds ?? 0)} and nothing takes it: no worker runs, or it cannot keep up`,
      advice: "is a process with ROLE=worker or all running? npm run ops -- jobs list",
    });
  if (stuckJobs > 0)
    found.push({
      level: "fail",
      says: `${many(stuckJobs, "job")} failed again and again, and will be tried again`,
      advice: "npm run ops -- jobs list failing says with what",
    });
  if (found.length === 0)
    found.push({ level: "ok", says: openJobs === 0 ? "none is waiting" : `${openJobs} open, none is late` });
  return found;
}

function mailOf({ stuckMails, mailsGivenUp }: Pulse): Found {
  const found: Found = [];
  if (stuckMails > 0)
    found.push({
      level: "fail",
      says: `${many(stuckMails, "mail")} could not be sent so far; the site tries for five days`,
      advice: "npm run ops -- jobs list failing says with what",
    });
  if (mailsGivenUp > 0)
    found.push({
      level: "warn",
      says: `${many(mailsGivenUp, "mail")} given up in the last week: the address may not exist`,
      advice: "see /admin/mail?state=given_up",
    });
  return found.length > 0 ? found : [{ level: "ok", says: "nothing waits" }];
}

/** When Stripe's events last came, and whether they are handled and none is missing. */
export async function checkWebhooks(db: Database, undelivered: string[] | null): Promise<Found> {
  const { rows } = await db.execute<{
    heard: number | null;
    customers: boolean;
    missing: number;
    unhandled: number;
    oldest: number;
  }>(sql`
    SELECT (SELECT extract(epoch FROM now() - max(received_at))::float8 FROM stripe_events) AS heard,
      EXISTS (SELECT FROM customers) AS customers,
      (SELECT count(*)::int FROM jsonb_array_elements_text(${JSON.stringify(undelivered ?? [])}::jsonb) AS at_stripe (id)
        WHERE NOT EXISTS (SELECT FROM stripe_events WHERE stripe_events.id = at_stripe.id)) AS missing,
      count(*)::int AS unhandled, coalesce(max(extract(epoch FROM now() - received_at)), 0)::float8 AS oldest
    FROM (SELECT received_at FROM stripe_events WHERE handled_at IS NULL LIMIT 1000) AS waiting`);
  const [webhooks] = rows;
  if (!webhooks) throw new Error("the database gave no answer");
  const found: Found = [];
  if (webhooks.missing > 0)
    found.push({
      level: "fail",
      says: `${many(webhooks.missing, "event")} of the last day did not get through from Stripe`,
      advice:
        "is STRIPE_WEBHOOK_SECRET the endpoint’s own, and its address reachable? Stripe’s dashboard, Developers → Webhooks, says what it was answered. Meanwhile npm run reconcile",
    });
  if (webhooks.oldest > LATE_SECONDS)
    found.push({
      level: "fail",
      says: `${many(webhooks.unhandled, "event")} from Stripe not handled yet, the oldest for ${inWords(webhooks.oldest)}: somebody may have paid and not have their plan`,
      advice: "npm run ops -- jobs list failing",
    });
  if (found.length > 0) return found;
  if (webhooks.heard === null && webhooks.customers)
    return [
      {
        level: "warn",
        says: "there are customers, and no event of Stripe’s was ever received",
        advice: "register the webhook, see docs/stripe.md, part 4, and send a test event from there",
      },
    ];
  const heard =
    webhooks.heard === null ? "none was received yet" : `the last one came ${inWords(webhooks.heard)} ago`;
  return [{ level: "ok", says: `${heard}, none is waiting` }];
}

/** What the last comparison with Stripe found. */
export async function checkReconciliation(db: Database): Promise<Found> {
  const findings = await readFindings(db);
  const { rows } = await db.execute(
    sql`SELECT FROM customers WHERE created_at < now() - interval '2 days' LIMIT 1`,
  );
  if (!findings)
    return rows.length > 0
      ? [{ level: "warn", says: "customers were never compared with Stripe", advice: "npm run reconcile" }]
      : [{ level: "ok", says: "there is nothing to compare yet" }];
  const { mended, failed, orphans, comparedAt } = findings;
  const age = (Date.now() - comparedAt.getTime()) / 1000;
  const found: Found = [];
  if (failed > 0)
    found.push({
      level: "fail",
      says: `${many(failed, "customer")} could not be compared with Stripe`,
      advice: "npm run reconcile says why",
    });
  if (orphans > 0)
    found.push({
      level: "fail",
      says: `${many(orphans, "subscription")} at Stripe paid for by somebody who has no account here`,
      advice: "npm run reconcile names them; cancel and refund them at Stripe",
    });
  if (mended > 0)
    found.push({
      level: "warn",
      says: `${many(mended, "difference")} from Stripe found at the last comparison and put right: events get lost`,
      advice: "see webhooks above; npm run reconcile compares again",
    });
  if (age > COMPARED_SECONDS && rows.length > 0)
    found.push({
      level: "warn",
      says: `the last comparison with Stripe was ${inWords(age)} ago; it should be nightly`,
      advice: "is a worker running between 3 and 6 o’clock UTC? npm run reconcile does it now",
    });
  return found.length > 0
    ? found
    : [{ level: "ok", says: `all customers were as Stripe has them, ${inWords(age)} ago` }];
}

/** Which processes have said lately that they run. */
export async function checkProcesses(db: Database): Promise<Found> {
  const { rows } = await db.execute<{ role: string; version: string; host: string; age: number }>(sql`
    SELECT role, version, host, extract(epoch FROM now() - seen_at)::float8 AS age FROM processes
    WHERE seen_at > now() - interval '1 hour' ORDER BY role, host LIMIT 100`);
  const running = rows.filter(({ age }) => age < SEEN_SECONDS);
  const gone = rows.filter(({ age }) => age >= SEEN_SECONDS);
  const has = (...roles: string[]) => running.some(({ role }) => roles.includes(role));
  const versions = [...new Set(running.map(({ version }) => version))];
  const count = (role: string) => running.filter((one) => one.role === role).length;
  const roles = ["all", "web", "worker"].flatMap((role) =>
    count(role) > 0 ? `${count(role)} × ${role}` : [],
  );
  const found: Found = [];
  if (!has("web", "all"))
    found.push({
      level: "fail",
      says: "no process serves the site",
      advice: "start one with ROLE=web or all",
    });
  if (!has("worker", "all"))
    found.push({
      level: "fail",
      says: "no process does the background work: mail, payments and promised jobs wait",
      advice: "start one with ROLE=worker or all",
    });
  if (versions.length > 1)
    found.push({
      level: "warn",
      says: `${versions.length} versions run side by side: ${versions.join(", ")}`,
      advice: "finish the upgrade, see docs/upgrade.md",
    });
  if (gone.length > 0)
    found.push({
      level: "warn",
      says: `${many(gone.length, "process", "processes")} ended without saying so, last seen ${inWords(Math.min(...gone.map(({ age }) => age)))} ago at ${[...new Set(gone.map(({ host }) => host))].join(", ")}`,
      advice: "killed, out of memory, or the machine went away? Its log’s end and the system’s journal say",
    });
  if (running.length > 0)
    found.unshift({ level: "ok", says: `${roles.join(", ")}; version ${versions.join(", ")}` });
  return found;
}

function many(count: number, thing: string, things = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`;
}
