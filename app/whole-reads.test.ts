import type { Client } from "pg";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../test/database.ts";
import { fill } from "../test/fill.ts";
import { connectPlanner, wholeReadsOf } from "../test/plans.ts";
import { SITE } from "../test/site.ts";
import { createSignedInUsers } from "../test/users.ts";
import { codeList, redemptionsOf } from "./admin/codes/lists.server.ts";
import { JOBS } from "./admin/jobs/jobs.server.ts";
import { CHANGES } from "./admin/log/list-changes.server.ts";
import { MAILS } from "./admin/mail/list-mails.server.ts";
import { PEOPLE } from "./admin/people/people-list.server.ts";
import { listSameMailbox } from "./admin/people/read-person.server.ts";
import { search } from "./admin/search/search.server.ts";
import { findPasswordByEmail } from "./auth/passwords.server.ts";
import { findAndRenewSession } from "./auth/sessions.server.ts";
import { enqueueDueChecks } from "./billing/attempt-checks.server.ts";
import { sendTimedNotices } from "./billing/notices/timed.server.ts";
import { enqueueOverdueSyncs } from "./billing/sync/overdue.server.ts";
import { enqueueNightlyReconciliation } from "./billing/sync/reconcile.server.ts";
import { readConfig } from "./config/config.server.ts";
import { connect, type Database, endPool } from "./db/client.server.ts";
import { currentSubscription } from "./entitlements/subscription.server.ts";
import { countFigures } from "./figures/count.server.ts";
import { readOverviewCounts } from "./figures/overview-counts.server.ts";
import type { App } from "./http/context.server.ts";
import { createLog } from "./log/log.server.ts";
import { sendEntry } from "./news/changelog.server.ts";
import { claimJobs } from "./outbox/claims.server.ts";
import { redeemPromoCode } from "./promo/redeem.server.ts";
import { deleteOutlived } from "./retention.server.ts";
import { createSweeps } from "./sweeps.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let owner: Client;
let person = "";
/** Of everything: as many as the planner needs to tell a few of them from all. */
const ROWS = 3_000;

beforeAll(async () => {
  database = await openDatabase();
  await fill(database.pool, ROWS);
  owner = await connectPlanner(database.ownerUrl);
  const [first] = await createSignedInUsers(database.pool, 1);
  person = first?.id ?? "";
  await database.pool.query(
    "INSERT INTO promo_codes (code, tier, duration_type) VALUES ('ONE', 'basic', 'forever')",
  );
  await database.pool.query(
    "INSERT INTO changelog_entries (id, title, day, body) VALUES ('entry', 'News', '2026-11-26', 'Some')",
  );
});

afterAll(async () => {
  await owner.end();
  await database.close();
});

async function wholeReads(statements: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const text of statements)
    for (const table of await wholeReadsOf(owner, text)) found.push(`${table}: ${text}`);
  return found;
}

async function statementsOf(work: (db: Database) => Promise<unknown>): Promise<string[]> {
  const statements = new Set<string>();
  const onQuery = (text: string) => {
    statements.add(text);
    return () => {};
  };
  const { db, pool } = connect(database.url, 3, () => {}, 30, {
    onEvent: () => {},
    onQuery,
    patience: () => undefined,
  });
  await work(db).finally(() => endPool(pool));
  return [...statements];
}

const payments: App["payments"] = {
  isOn: true,
  stripe: new Stripe("sk_test_unused"),
  webhookSecret: "unused",
  checkoutOrigins: [],
};

const list = (sort: string) => ({ sort, isDescending: true, from: null, filters: {} });

const WORK: Record<string, (db: Database) => Promise<unknown>> = {
  "overdue syncs": enqueueOverdueSyncs,
  "payments to ask about": enqueueDueChecks,
  "the night’s comparison": enqueueNightlyReconciliation,
  "mails before a day": (db) => sendTimedNotices(db, SITE),
  "the figures": (db) => countFigures(db, "usd"),
  "what has been kept for its days": deleteOutlived,
  "what there is to sweep": (db) =>
    createSweeps({ config: readConfig({}), db, log: createLog("silent"), payments }, () => false)(),
  "who wants product news": (db) =>
    sendEntry({ config: readConfig({}), db }, { entryId: "entry" }, { id: "1" }, () => false),
  "the next job": (db) => claimJobs(db, ["send_mail"], 1),
  "how it runs": readOverviewCounts,
  people: (db) => PEOPLE.read(db, list("since")),
  "people who pay": (db) => PEOPLE.read(db, { ...list("plan"), filters: { holds: "paid" } }),
  "accounts of one mailbox": (db) => listSameMailbox(db, { id: person, email: "ada@example.com" }),
  "who redeemed a code": (db) => redemptionsOf("ONE").read(db, list("redeemed")),
  codes: (db) => codeList("").read(db, list("created")),
  jobs: (db) => JOBS.read(db, list("created")),
  mails: (db) => MAILS.read(db, list("written")),
  "the job with a number": (db) => JOBS.read(db, { ...list("created"), filters: { job: "1" } }),
  ...Object.fromEntries(
    ["ada", "ada@example.com", "send mail", "12345678", "A1B2C3D4-0001", "in_1", "price_1"].map((typed) => [
      `a search for ${typed}`,
      (db: Database) => search({ db, log: createLog("silent"), payments }, typed, false),
    ]),
  ),
  "the log": (db) => CHANGES.read(db, list("at")),
  "a sign-in": (db) => findPasswordByEmail(db, "ada@example.com"),
  "a session": (db) => findAndRenewSession(db, "a token"),
  "a plan": (db) => currentSubscription(db, person),
  "a redemption": (db) =>
    redeemPromoCode(
      { db, config: { authSecret: "a secret", authSecrets: ["a secret", "the one before"] } },
      person,
      { code: "ONE" },
    ),
};

test.each(Object.entries(WORK))("%s: no large table is read whole", async (_what, work) => {
  const statements = await statementsOf(work);
  expect(statements.length).toBeGreaterThan(0);
  expect(await wholeReads(statements)).toEqual([]);
});

test("what has no index for it is found", async () => {
  expect(
    await wholeReads([
      "SELECT FROM session WHERE user_agent = $1",
      "SELECT count(*) FROM mails",
      "SELECT FROM promo_codes WHERE note = $1",
      `SELECT FROM "user" WHERE id = $1`,
      "SELECT id FROM audit_log ORDER BY id LIMIT 50",
      "SELECT id FROM audit_log ORDER BY id",
      "SELECT id FROM contact_messages WHERE message = $1 ORDER BY id LIMIT 50",
    ]),
  ).toEqual([
    expect.stringMatching(/^session/),
    expect.stringMatching(/^mails/),
    expect.stringMatching(/^promo_codes/),
    expect.stringMatching(/^audit_log/),
    expect.stringMatching(/^contact_messages/),
  ]);
});
