import type { Pool } from "pg";
import { listCodes } from "../app/admin/codes/list-codes.server.ts";
import { listJobs } from "../app/admin/jobs/list-jobs.server.ts";
import type { ListQuery } from "../app/admin/lists/list-query.ts";
import { listChanges } from "../app/admin/log/list-changes.server.ts";
import { listMails } from "../app/admin/mail/list-mails.server.ts";
import { listPeople } from "../app/admin/people/people-list.server.ts";
import { findAndRenewSession } from "../app/auth/find-session.server.ts";
import { findPasswordByEmail } from "../app/auth/passwords.server.ts";
import { sendTimedNotices } from "../app/billing/notices/timed.server.ts";
import { enqueueOverdueSyncs } from "../app/billing/sync/overdue.server.ts";
import { connect, type Database, endPool } from "../app/db/client.server.ts";
import { siteUrlOf } from "../app/db/embedded.server.ts";
import { applyMigrations } from "../app/db/migrate.server.ts";
import { currentSubscription } from "../app/entitlements/subscription.server.ts";
import { countFigures } from "../app/figures/count.server.ts";
import { readFindings } from "../app/figures/findings.server.ts";
import { readOverviewCounts } from "../app/figures/overview-counts.server.ts";
import { readStanding, readWeekly } from "../app/figures/read.server.ts";
import { claimJobs, markDone } from "../app/outbox/claims.server.ts";
import { redeemPromoCode } from "../app/promo/redeem.server.ts";
import { createDatabase, databaseSettings } from "../test/database.ts";
import { SITE } from "../test/site.ts";
import { createSignedInUsers, sessionTokenOf } from "../test/users.ts";
import { fill } from "./fill.ts";

/** All of point 7 but the waitlist, which has a bench of its own, and what their rows refer to. */
const TABLES = [
  ...["user", "account", "session", "promo_codes", "promo_batches", "grants", "outbox", "mails", "customers"],
  ...["stripe_subscriptions", "stripe_invoices", "stripe_events", "audit_log", "daily_figures", "page_views"],
];
/** As many jobs and mails wait however many there have been, and they are the last ones. */
const WAITING = { isWaiting: "i <= 250", isGivenUp: "i BETWEEN 251 AND 500" };
/** Of each kind of work that can be done once: enough for one try. More would make more of a small database than there is in it. */
export const ONCE = 5_600;
/** So few that after the first hundred times all of what is looked at is in memory, in a small database and in a large one. */
const PEOPLE_ASKED_FOR = 97;
const SECRET = "a secret of this bench that nobody else has";

/** A database of one size, and how to work with it. */
export interface Filled {
  size: number;
  db: Database;
  /** As its owner, to look. */
  pool: Pool;
  /** People without a plan, each with a session. */
  people: { id: string; token: string }[];
  /** So that none is due for it, however long ago this database was filled beside the others. */
  renewSessions(): Promise<void>;
  /** Those that were there to be claimed: a site that keeps up has few, and the console would look at all of them. */
  deleteClaimable(): Promise<void>;
  close(): Promise<void>;
}

/** A migrated database with so many of everything, vacuumed as autovacuum would have done by and by. */
export async function openFilled(size: number): Promise<Filled> {
  const { url, drop } = await createDatabase();
  await applyMigrations(databaseSettings(url).DATABASE_OWNER_URL, {
    siteUrl: databaseSettings(url).DATABASE_URL,
  });
  // Longer than a page may wait, for the filling and for the first count.
  const { pool } = connect(url, 3, () => {}, 24 * 60 * 60);
  await fill(pool, size, { tables: TABLES, ...WAITING });
  const people = await createSignedInUsers(pool, ONCE);
  await pool.query(
    `INSERT INTO outbox (kind, payload, run_at) SELECT 'growth', '{}', now() - interval '1 hour' FROM generate_series(1, $1)`,
    [ONCE],
  );
  await pool.query("VACUUM (ANALYZE) outbox");
  const { db } = connect(siteUrlOf(url), 2, () => {});
  return {
    ...{ size, db, pool },
    people: people.map(({ id, cookie }) => ({ id, token: sessionTokenOf(cookie) })),
    async renewSessions() {
      await pool.query(
        "UPDATE session SET expires_at = now() + interval '30 days' WHERE user_id = ANY ($1)",
        [people.map(({ id }) => id)],
      );
    },
    async deleteClaimable() {
      await pool.query("DELETE FROM outbox WHERE kind = 'growth'");
      await pool.query("VACUUM (ANALYZE) outbox");
    },
    async close() {
      await Promise.all([endPool(pool), endPool(db.$client)]);
      await drop();
    },
  };
}

/** One kind of work; `turn` counts how often it was done in this database. */
export type Work = (filled: Filled, turn: number) => Promise<unknown>;

/** Somebody, spread over all, and in each database the same share of the way. */
const someone = ({ size }: Filled, turn: number) =>
  1 + ((turn * 79) % PEOPLE_ASKED_FOR) * Math.floor(size / 100);

const list = (sort: string, filters: Record<string, string> = {}): ListQuery => ({
  ...{ sort, isDescending: true, from: null, filters },
});

const demand = <Found>(found: Found | null | undefined, what: string): Found => {
  if (found === null || found === undefined) throw new Error(`${what} was not found`);
  return found;
};

const REDEEM = "redeem a code";
export const CLAIM = "worker claims a job";
/** Work that leaves something behind, so that each turn needs a person, or a job, of its own. */
export const DONE_ONCE = new Set([REDEEM, CLAIM]);

/** What people, operators and workers wait for. */
export const WORK: Record<string, Work> = {
  [REDEEM]: async (filled, turn) => {
    const { id } = demand(filled.people[turn % ONCE], "a person");
    // One in ten is paused, and those of the hundreds are used up.
    const code = `CODE${Math.floor(someone(filled, turn) / 10) * 10 + 3}`;
    const config = { authSecret: SECRET };
    const done = await redeemPromoCode({ db: filled.db, config }, id, { code, tier: "basic" });
    if (!done.ok || done.isRepeat) throw new Error(`${code} was not redeemed: ${JSON.stringify(done)}`);
  },
  "current subscription": async (filled, turn) =>
    demand(await currentSubscription(filled.db, `user${someone(filled, turn)}`), "a plan"),
  "sign-in by address": async (filled, turn) =>
    demand(await findPasswordByEmail(filled.db, `person${someone(filled, turn)}@example.com`), "a password"),
  "session of a request": async (filled, turn) =>
    demand(
      await findAndRenewSession(filled.db, demand(filled.people[turn % ONCE], "a person").token),
      "a session",
    ),
  [CLAIM]: async ({ db }) => {
    const [job] = await claimJobs(db, ["growth"], 1);
    await markDone(db, demand(job, "a job"));
  },
  "console: people": ({ db }) => listPeople(db, list("since")),
  "console: people by name": ({ db }) =>
    listPeople(db, { ...list("name", { name: "Ada" }), isDescending: false }),
  "console: people who pay": ({ db }) => listPeople(db, list("plan", { holds: "paid" })),
  "console: codes": ({ db }) => listCodes(db, list("created")),
  "console: jobs": ({ db }) => listJobs(db, list("created")),
  "console: mails": ({ db }) => listMails(db, list("written")),
  "console: log": ({ db }) => listChanges(db, list("at")),
  "console: overview": async ({ db }) => {
    await readOverviewCounts(db);
    await readFindings(db);
    await readStanding(db);
    for (const name of ["revenue", "plans_begun", "joined"])
      await readWeekly(db, { name, weeks: 24, of: "sum" });
  },
};

/** What is done again and again in the background. */
export const SWEEPS: Record<string, Work> = {
  "sweep: overdue syncs": ({ db }) => enqueueOverdueSyncs(db),
  "sweep: mails before a day": ({ db }) => sendTimedNotices(db, SITE),
  // What counting again costs, once everybody has been counted.
  "sweep: the figures of the last days": count,
};

/** Counts the figures of the console again. @returns how long it took, in milliseconds */
export async function count({ db, pool }: Filled): Promise<number> {
  await pool.query("UPDATE daily_figures SET updated_at = now() - interval '1 day' WHERE name = 'counted'");
  const begun = performance.now();
  await countFigures(db, "usd");
  return performance.now() - begun;
}
