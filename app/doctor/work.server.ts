import { sql } from "drizzle-orm";
import type { Database } from "../db/client.server.ts";
import { readFindings } from "../figures/findings.server.ts";
import { readOverviewCounts } from "../figures/overview-counts.server.ts";
import { inWords } from "../ui/in-words.ts";
import { type Found, fail, ok, warn } from "./finding.ts";

/** How late a job or an event may be, in seconds. */
const LATE_SECONDS = 5 * 60;
/** The comparison with Stripe is nightly, so that one that is older than this was left out. */
const COMPARED_SECONDS = 36 * 60 * 60;
/** A process renews its row every 30 seconds. */
const SEEN_SECONDS = 100;
const FAILING = "npm run ops -- jobs list failing says with what";

/** Whether jobs are done. */
export async function checkJobs(db: Database): Promise<Found> {
  const { openJobs, oldestDueSeconds, stuckJobs } = await readOverviewCounts(db);
  const due = oldestDueSeconds ?? 0;
  return [
    ok(`${openJobs} open`),
    due > LATE_SECONDS &&
      fail(
        `a job has been due for ${inWords(due)} and nothing takes it: no worker runs, or it cannot keep up`,
        "is a process with ROLE=worker or all running? npm run ops -- jobs list",
      ),
    stuckJobs > 0 &&
      fail(`${many(stuckJobs, "job")} failed again and again, and will be tried again`, FAILING),
  ];
}

/** Whether mail goes out. */
export async function checkMailQueue(db: Database): Promise<Found> {
  const { stuckMails, mailsGivenUp } = await readOverviewCounts(db);
  return [
    stuckMails > 0 &&
      fail(`${many(stuckMails, "mail")} could not be sent so far; the site tries for five days`, FAILING),
    mailsGivenUp > 0 &&
      warn(
        `${many(mailsGivenUp, "mail")} given up in the last week: the address may not exist`,
        "see /admin/mail?state=given_up",
      ),
  ];
}

/** Whether Stripe's events come and are handled. @param undelivered the ids of those Stripe could not deliver, to us or to others */
export async function checkWebhooks(db: Database, undelivered: string[] | null): Promise<Found> {
  const { unhandledEvents, oldestEventSeconds } = await readOverviewCounts(db);
  const { rows } = await db.execute(sql`
    SELECT FROM jsonb_array_elements_text(${JSON.stringify(undelivered ?? [])}::jsonb) AS at_stripe (id)
    WHERE NOT EXISTS (SELECT FROM stripe_events WHERE stripe_events.id = at_stripe.id)`);
  const oldest = oldestEventSeconds ?? 0;
  return [
    rows.length > 0 &&
      fail(
        `${many(rows.length, "event")} of the last day did not get through from Stripe`,
        "is STRIPE_WEBHOOK_SECRET the endpoint’s own, and its address reachable? Meanwhile npm run reconcile",
      ),
    oldest > LATE_SECONDS &&
      fail(
        `${many(unhandledEvents, "event")} from Stripe not handled yet, the oldest for ${inWords(oldest)}: somebody may have paid and not have their plan`,
        "npm run ops -- jobs list failing",
      ),
  ];
}

/** What the last comparison with Stripe found. */
export async function checkReconciliation(db: Database): Promise<Found> {
  const findings = await readFindings(db);
  if (!findings) return [ok("nothing was compared with Stripe yet; it is done nightly")];
  const { mended, failed, orphans, comparedAt } = findings;
  const age = (Date.now() - comparedAt.getTime()) / 1000;
  return [
    ok(`customers were compared with Stripe ${inWords(age)} ago`),
    failed > 0 &&
      fail(`${many(failed, "customer")} could not be compared with Stripe`, "npm run reconcile says why"),
    orphans > 0 &&
      fail(
        `${many(orphans, "subscription")} at Stripe paid for by somebody who has no account here`,
        "npm run reconcile names them; cancel and refund them at Stripe",
      ),
    mended > 0 &&
      warn(
        `${many(mended, "difference")} from Stripe found at the last comparison and put right: events get lost`,
        "see webhooks above; npm run reconcile compares again",
      ),
    age > COMPARED_SECONDS &&
      warn(
        `the last comparison with Stripe was ${inWords(age)} ago; it should be nightly`,
        "is a worker running between 3 and 6 o’clock UTC? npm run reconcile does it now",
      ),
  ];
}

/** Which processes have said lately that they run. */
export async function checkProcesses(db: Database): Promise<Found> {
  const { rows } = await db.execute<{ role: string; version: string; host: string; age: number }>(sql`
    SELECT role, version, host, extract(epoch FROM now() - seen_at)::float8 AS age FROM processes
    WHERE seen_at > now() - interval '1 hour' ORDER BY seen_at DESC LIMIT 100`);
  const running = rows.filter(({ age }) => age < SEEN_SECONDS);
  const gone = rows.filter(({ age }) => age >= SEEN_SECONDS);
  const has = (one: string) => running.some(({ role }) => role === one || role === "all");
  const versions = [...new Set(running.map(({ version }) => version))];
  const hosts = [...new Set(gone.map(({ host }) => host))].join(", ");
  return [
    ok(`${many(running.length, "process", "processes")}; version ${versions.join(", ")}`),
    !has("web") && fail("no process serves the site", "start one with ROLE=web or all"),
    !has("worker") &&
      fail(
        "no process does the background work: mail, payments and promised jobs wait",
        "start one with ROLE=worker or all",
      ),
    versions.length > 1 &&
      warn(`${versions.length} versions run side by side`, "finish the upgrade, see docs/operate.md"),
    gone.length > 0 &&
      warn(
        `${many(gone.length, "process", "processes")} ended without saying so, last seen ${inWords(gone[0]?.age ?? 0)} ago at ${hosts}`,
        "killed, out of memory, or the machine went away? Its log’s end and the system’s journal say",
      ),
  ];
}

function many(count: number, thing: string, things = `${thing}s`): string {
  return `${count} ${count === 1 ? thing : things}`;
}
