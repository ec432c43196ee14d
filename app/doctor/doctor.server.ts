import type { Pool } from "pg";
import { connectPayments } from "../billing/stripe.server.ts";
import type { Config } from "../config/config.server.ts";
import { connect, type DatabaseConnection, endPool } from "../db/client.server.ts";
import { explainStartError } from "../start-errors.server.ts";
import { checkBackups } from "./backups.server.ts";
import { checkDatabase, checkInvariants, checkRoles, checkSchema } from "./database.server.ts";
import type { Finding } from "./finding.ts";
import { checkClock, checkDisk, databaseClock } from "./machine.server.ts";
import { checkMail, checkMailNames } from "./mail.server.ts";
import { checkMetrics } from "./metrics.server.ts";
import { checkSettings } from "./settings.server.ts";
import { checkCertificate, checkSite } from "./site.server.ts";
import { askStripe, checkEndpoint, listUndelivered } from "./stripe.server.ts";
import { within } from "./within.server.ts";
import { checkJobs, checkProcesses, checkReconciliation, checkWebhooks } from "./work.server.ts";

/** Stripe tries again within minutes what it could not deliver. */
const SETTLED_SECONDS = 10 * 60;
/** At a million rows they take seconds. */
const INVARIANTS_MILLISECONDS = 30_000;

export interface Surroundings {
  /** As whom the site connects to its database, and as whom its owner; `null`: the embedded one is not running. */
  urls: { siteUrl: string; ownerUrl: string } | null;
  settledSeconds?: number;
}

/**
 * Looks at everything the site needs, all at once, and changes nothing. Ends within a minute, whatever hangs.
 *
 * @returns a line or more for each check, in the order in which one would read them
 */
export async function examine(
  config: Config,
  { urls, settledSeconds = SETTLED_SECONDS }: Surroundings,
): Promise<Finding[]> {
  const payments = connectPayments(config.payments, `http://127.0.0.1:${config.port}/sandbox/stripe`);
  const stripe = askStripe(payments, config.payments.mode === "sandbox");
  const undelivered = listUndelivered(payments, settledSeconds);
  const inDatabase = urls ? examineDatabase(config, urls, undelivered) : describeMissingDatabase();
  const clock = async () => {
    const [database, { clock }] = await Promise.all([inDatabase.clock, stripe]);
    return checkClock({ "the database": database, Stripe: clock });
  };
  const groups = await Promise.all([
    within("settings", async () => checkSettings(config)),
    within("site", () => checkSite(config)),
    within("certificate", () => checkCertificate(config)),
    inDatabase.health,
    within("stripe", async () => (await stripe).found),
    within("webhooks", () => checkEndpoint(payments, config)),
    inDatabase.payments,
    within("mail", () => checkMail(config.mail)),
    within("mail DNS", () => checkMailNames(config.mail)),
    inDatabase.work,
    within("metrics", () => checkMetrics(config)),
    within("clock", clock),
    within("disk", () => checkDisk([config.dataDir, config.backup.dir])),
    inDatabase.data,
  ]);
  return groups.flat();
}

/** What the database has to say, in groups that stand between the other checks. */
interface InDatabase {
  health: Promise<Finding[]>;
  payments: Promise<Finding[]>;
  work: Promise<Finding[]>;
  data: Promise<Finding[]>;
  /** By how many seconds its clock is ahead of ours. */
  clock: Promise<number | null>;
}

function describeMissingDatabase(): InDatabase {
  const nothing = Promise.resolve([]);
  const missing: Finding = {
    check: "database",
    level: "fail",
    says: "the embedded database is not running, so that jobs, webhooks, backups and data were not looked at",
    advice: "start the site: it starts its database; or set DATABASE_URL, or DATA_DIR as the site has it",
  };
  return {
    health: Promise.resolve([missing]),
    ...{ payments: nothing, work: nothing, data: nothing, clock: Promise.resolve(null) },
  };
}

/** Waits for the first answer before anything else is asked, so that a database that is away is one line and not ten. */
function examineDatabase(
  config: Config,
  { siteUrl, ownerUrl }: NonNullable<Surroundings["urls"]>,
  undelivered: Promise<string[] | null>,
): InDatabase {
  const connection = connect(siteUrl, 4, () => {}, INVARIANTS_MILLISECONDS / 1000);
  const owner = connect(ownerUrl, 1, () => {}, 10);
  const reached = within("database", () => reach(connection.pool, siteUrl, config));
  const schema = reached.then((found) =>
    isAway(found) ? [] : within("schema", () => checkSchema(owner.pool, config)),
  );
  // In another version's tables there is nothing to be looked for.
  const canAsk = schema.then((found) => found.length > 0 && found.every(({ level }) => level !== "fail"));
  const ask = async (
    check: string,
    look: (connection: DatabaseConnection) => Promise<Omit<Finding, "check">[]>,
    milliseconds?: number,
  ) => ((await canAsk) ? within(check, () => look(connection), milliseconds) : []);
  const answers: InDatabase = {
    health: Promise.all([reached, schema, ask("roles", ({ pool }) => checkRoles(pool))]).then((found) =>
      found.flat(),
    ),
    payments: Promise.all([
      ask("webhooks", async ({ db }) => checkWebhooks(db, await undelivered)),
      ask("reconcile", ({ db }) => checkReconciliation(db)),
    ]).then((found) => (config.payments.mode === "off" ? [] : found.flat())),
    work: Promise.all([
      ask("jobs", ({ db }) => checkJobs(db)),
      ask("processes", ({ db }) => checkProcesses(db)),
      ask("backup", ({ db }) => checkBackups(db, config)),
    ]).then((found) => found.flat()),
    data: ask("invariants", ({ pool }) => checkInvariants(pool), INVARIANTS_MILLISECONDS),
    clock: canAsk.then((may) => (may ? databaseClock(connection.pool).catch(() => null) : null)),
  };
  void Promise.allSettled(Object.values(answers)).then(() =>
    Promise.all([endPool(connection.pool), endPool(owner.pool)]),
  );
  return answers;
}

/** What the database is; or in words why it cannot be reached. */
async function reach(pool: Pool, url: string, config: Config): Promise<Omit<Finding, "check">[]> {
  try {
    return await checkDatabase(pool, url);
  } catch (error) {
    const reason = explainStartError(error, config);
    if (!reason) throw error;
    return [{ level: "fail", says: reason, advice: "nothing else in the database could be looked at" }];
  }
}

const isAway = (found: readonly Finding[]) => found[0]?.level !== "ok";
