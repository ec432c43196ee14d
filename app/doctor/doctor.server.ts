import { connectPayments } from "../billing/stripe.server.ts";
import type { Config } from "../config/config.server.ts";
import { connect, endPool } from "../db/client.server.ts";
import { summariseError } from "../log/log.server.ts";
import { explainStartError } from "../start-errors.server.ts";
import { checkBackups } from "./backups.server.ts";
import { checkDatabase, checkInvariants } from "./database.server.ts";
import { type Finding, type Found, fail } from "./finding.ts";
import { checkMail, checkSettings, checkSite, checkStripe, listUndelivered } from "./services.server.ts";
import {
  checkJobs,
  checkMailQueue,
  checkProcesses,
  checkReconciliation,
  checkWebhooks,
} from "./work.server.ts";

/** Stripe tries again within minutes what it could not deliver. */
const SETTLED_SECONDS = 10 * 60;
/** At a million rows the invariants take seconds. */
const STATEMENT_SECONDS = 30;
const CHECK_SECONDS = 10;

export interface Surroundings {
  /** As whom the site connects to its database; `null`: the embedded one is not running. */
  urls: { siteUrl: string } | null;
  settledSeconds?: number;
}

/**
 * Looks at everything the site needs, and changes nothing. Ends within a minute, whatever hangs.
 *
 * @returns a line or more for each check, in the order in which one would read them
 */
export async function examine(
  config: Config,
  { urls, settledSeconds = SETTLED_SECONDS }: Surroundings,
): Promise<Finding[]> {
  const payments = connectPayments(config.payments, `http://127.0.0.1:${config.port}/sandbox/stripe`);
  const outside = [
    within("settings", async () => checkSettings(config)),
    within("site", () => checkSite(config)),
    within("stripe", () => checkStripe(payments, config)),
    within("mail", () => checkMail(config.mail)),
  ];
  const inside = urls
    ? examineDatabase(config, urls.siteUrl, await listUndelivered(payments, settledSeconds))
    : within("database", async () => [
        fail(
          "the embedded database is not running, so that jobs, webhooks, backups and data were not looked at",
          "start the site: it starts its database; or set DATABASE_URL, or DATA_DIR as the site has it",
        ),
      ]);
  return (await Promise.all([...outside, inside])).flat();
}

/** Waits for the first answer before anything else is asked, so that a database that is away is one line and not ten. */
async function examineDatabase(
  config: Config,
  url: string,
  undelivered: string[] | null,
): Promise<Finding[]> {
  const { db, pool } = connect(url, 4, () => {}, STATEMENT_SECONDS);
  try {
    const reached = await within("database", () =>
      checkDatabase(pool, url).catch((error: unknown) => {
        const reason = explainStartError(error, config);
        if (!reason) throw error;
        return [fail(reason, "nothing else in the database could be looked at")];
      }),
    );
    // In another version's tables there is nothing to be looked for.
    if (reached.some(({ level }) => level === "fail")) return reached;
    const arePaymentsOn = config.payments.mode !== "off";
    const groups = await Promise.all([
      arePaymentsOn ? within("webhooks", () => checkWebhooks(db, undelivered)) : [],
      arePaymentsOn ? within("reconcile", () => checkReconciliation(db)) : [],
      within("jobs", () => checkJobs(db)),
      within("mail queue", () => checkMailQueue(db)),
      within("processes", () => checkProcesses(db)),
      within("backup", () => checkBackups(db, config)),
      within("invariants", () => checkInvariants(pool), STATEMENT_SECONDS),
    ]);
    return [...reached, ...groups.flat()];
  } finally {
    void endPool(pool);
  }
}

/** Runs a check, for a bounded time. That it took too long, or broke, is a finding as well. */
async function within(
  check: string,
  look: () => Promise<Found>,
  seconds = CHECK_SECONDS,
): Promise<Finding[]> {
  const { promise: late, resolve } = Promise.withResolvers<Found>();
  const tooLong = fail(`no answer within ${seconds} seconds`, "try again; if it stays, look why it is slow");
  const timer = setTimeout(resolve, seconds * 1000, [tooLong]);
  const broken = (error: unknown) => [fail(`could not be checked: ${summariseError(error)}`, "try again")];
  const found = await Promise.race([look().catch(broken), late]);
  clearTimeout(timer);
  return found.flatMap((finding) => (finding ? { check, ...finding } : []));
}
