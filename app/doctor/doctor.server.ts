import { setTimeout as wait } from "node:timers/promises";
import { connectPaymentsOfServer, type Payments } from "../billing/stripe.server.ts";
import type { Config } from "../config/config.server.ts";
import { connect, endPool } from "../db/client.server.ts";
import { readOverviewCounts } from "../figures/overview-counts.server.ts";
import { summarizeError } from "../log/log.server.ts";
import { explainStartError } from "../start-errors.server.ts";
import * as database from "./database.server.ts";
import { type Finding, type Found, fail } from "./finding.ts";
import { checkSecrets } from "./secrets.server.ts";
import * as services from "./services.server.ts";

/** Stripe retries failed deliveries within minutes. */
const SETTLED_SECONDS = 10 * 60;
/** At a million rows the invariants take seconds. */
const STATEMENT_SECONDS = 30;
const CHECK_SECONDS = 10;

/** Changes nothing. Ends within a minute, even if something hangs. @param urls `null`: the embedded database is not running */
export async function examine(
  config: Config,
  urls: { siteUrl: string } | null,
  settledSeconds = SETTLED_SECONDS,
): Promise<Finding[]> {
  const payments = connectPaymentsOfServer(config);
  const notRunning = fail(
    "the embedded database is not running, so that jobs, webhooks, backups and data were not looked at",
    "start the site: it starts its database; or set DATABASE_URL, or DATA_DIR as the site has it",
  );
  const findings = await Promise.all([
    within("settings", () => services.checkSettings(config)),
    within("site", () => services.checkSite(config)),
    within("stripe", () => services.checkStripe(payments, config)),
    within("mail", () => services.checkMail(config.mail)),
    urls
      ? examineDatabase(config, urls.siteUrl, payments, settledSeconds)
      : within("database", () => [notRunning]),
  ]);
  return findings.flat();
}

/** A database that is away is one line and not ten. */
async function examineDatabase(
  config: Config,
  url: string,
  payments: Payments,
  settledSeconds: number,
): Promise<Finding[]> {
  const { db, pool } = connect(url, 4, () => {}, STATEMENT_SECONDS);
  try {
    const reached = await within("database", () =>
      database.checkDatabase(pool, url).catch((error: unknown) => {
        const reason = explainStartError(error, config);
        if (!reason) throw error;
        return [fail(reason, "nothing else in the database could be looked at")];
      }),
    );
    // The checks do not know the tables of another version.
    if (reached.some(({ level }) => level === "fail")) return reached;
    const counts = readOverviewCounts(db);
    const arePaymentsOn = config.payments.mode !== "off";
    const groups = await Promise.all([
      arePaymentsOn &&
        within("webhooks", async () => database.checkWebhooks(db, await counts, payments, settledSeconds)),
      arePaymentsOn && within("reconcile", () => database.checkReconciliation(db)),
      within("jobs", async () => database.checkJobs(await counts)),
      within("mail queue", async () => database.checkMailQueue(await counts)),
      within("processes", () => database.checkProcesses(db)),
      within("secrets", () => checkSecrets({ config, db })),
      within("backup", () => database.checkBackups(db, config)),
      within("invariants", () => database.checkInvariants(pool), STATEMENT_SECONDS),
    ]);
    return [...reached, ...groups.flatMap((group) => group || [])];
  } finally {
    void endPool(pool);
  }
}

/** A timeout or an exception is a finding as well. */
async function within(
  check: string,
  look: () => Found | Promise<Found>,
  seconds = CHECK_SECONDS,
): Promise<Finding[]> {
  const tooLong = fail(`no answer within ${seconds} seconds`, "try again; if it stays, look why it is slow");
  const looked = Promise.try(look).catch((error: unknown) => [
    fail(`could not be checked: ${summarizeError(error)}`, "try again"),
  ]);
  const found: Found = await Promise.race([looked, wait(seconds * 1000, [tooLong], { ref: false })]);
  return found.flatMap((finding) => (finding ? { check, ...finding } : []));
}
