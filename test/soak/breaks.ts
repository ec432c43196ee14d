import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { breakStatements, cutDatabase } from "../away.ts";
import { onCluster } from "../database.ts";
import { call, checkoutOf, control, eventually, pay, postForm } from "../http.ts";
import { goOn } from "../loops.ts";
import { deliver } from "../running-site.ts";
import { createPerson, get, signUp } from "../users.ts";
import { type WatchedSite, WEB, WORKER } from "./watched-site.ts";

/** A fault, real where possible. Rows are aged instead of waiting. */
export interface Break {
  alerts: string[];
  /** Causes the fault. May return a function that ends an ongoing cause. */
  cause(): Promise<unknown>;
  mend?(): Promise<unknown>;
  /** Whether its alerts end once it is fixed. Others cover the last minutes and keep firing that long. */
  endsAtOnce?: true;
}

/** All faults by name, ordered so that none hides the next. */
export async function breaksOf(site: WatchedSite): Promise<Record<string, Break>> {
  const { pool, origin } = site;
  const { cookie } = await createPerson(pool);
  const query = (text: string) => pool.query(text);
  const finds = (text: string, rows: number) =>
    eventually(async () => (await query(text)).rowCount === rows, `${rows} rows: ${text}`);
  /** The nightly comparison with Stripe, now. */
  const compare = async () => {
    await query("INSERT INTO outbox (kind, dedupe_key, payload) VALUES ('reconcile', 'nightly', '{}')");
    await finds("SELECT FROM outbox WHERE kind = 'reconcile' AND done_at IS NULL", 0);
  };
  /** Applies to new connections; ends the others. */
  const setDatabase = async (setting: string) => {
    const name = new URL(site.environment.DATABASE_URL).pathname.slice(1);
    await onCluster(`ALTER DATABASE ${name} ${setting}`);
    await onCluster(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  };
  const redeem = (code: string, cookie: string) =>
    postForm(site, "/test-promo", { form: "promo", code }, cookie);
  const filler = join(site.dataDir, "filler");
  const fillDisk = (alert: string, megabytes: number): Break => ({
    alerts: [alert],
    cause: async () => execFileSync("fallocate", ["-l", `${megabytes}M`, filler]),
    mend: async () => rmSync(filler),
    endsAtOnce: true,
  });
  await backUp(site, "1 hour");
  return {
    "the webhook's secret is wrong": {
      alerts: ["WebhookSignature"],
      cause: async () => {
        for (let delivery = 0; delivery < 5; delivery++)
          await deliver(origin, anEvent(), "whsec_of_another_endpoint");
      },
    },
    "the mail server is away": {
      alerts: ["MailAway"],
      cause: async () => {
        await site.mail.end();
        for (let person = 0; person < 4; person++) await signUp(site);
      },
      mend: site.mail.begin,
    },
    "mailboxes that do not exist": {
      alerts: ["MailGivenUp"],
      cause: async () => {
        for (let person = 0; person < 12; person++) await signUp(site, `${randomUUID()}@refused.example`);
      },
      mend: () => query("DELETE FROM mails WHERE given_up_at IS NOT NULL"),
      endsAtOnce: true,
    },
    "a table is locked under load": {
      alerts: ["PoolExhausted", "RequestsFail", "RequestsSlow"],
      cause: async () => {
        const client = await pool.connect();
        await client.query("BEGIN; LOCK TABLE session IN ACCESS EXCLUSIVE MODE");
        const visits = goOn(20, () => get(site, "/dashboard", cookie));
        return async () => {
          await client.query("ROLLBACK");
          client.release();
          await visits();
        };
      },
    },
    "the worker has ended, and Stripe sends an event": {
      alerts: ["NoWorker", "JobsLate", "WebhooksLate"],
      cause: async () => {
        await site.end(WORKER);
        await control(site, { webhooks: "deliver" });
        const { products } = site.stripe;
        const { data } = await products.list();
        await products.update(data[0]?.id ?? "", { description: "Changed while nobody works" });
        await finds("SELECT FROM stripe_events WHERE handled_at IS NULL", 1);
        await query(
          "UPDATE stripe_events SET received_at = now() - interval '6 minutes' WHERE handled_at IS NULL",
        );
        await query(
          "UPDATE outbox SET run_at = now() - interval '6 minutes' WHERE done_at IS NULL AND kind = 'sync_catalogue'",
        );
      },
      mend: () => site.start(WORKER),
      endsAtOnce: true,
    },
    "Stripe is away": {
      alerts: ["StripeAway", "JobsFail"],
      cause: async () => {
        await control(site, { api: "down" });
        await query(`INSERT INTO outbox (kind, dedupe_key, payload, attempts, created_at)
          VALUES ('sync_catalogue', 'catalogue', '{}', 4, now() - interval '1 hour')`);
        for (let visit = 0; visit < 3; visit++) await call(site, checkoutOf(site), cookie);
      },
      mend: async () => {
        await control(site, { api: "up" });
        await query("UPDATE outbox SET run_at = now() WHERE done_at IS NULL");
        await finds("SELECT FROM outbox WHERE done_at IS NULL", 0);
      },
    },
    "a payment whose event was lost": {
      alerts: ["Drift"],
      cause: async () => {
        await control(site, { events_lost: 1 });
        const buyer = await createPerson(pool);
        const { result } = await (await call(site, checkoutOf(site), buyer.cookie)).json();
        await pay(result.url);
        await compare();
      },
      mend: async () => {
        await control(site, { reset: true });
        await compare();
      },
      endsAtOnce: true,
    },
    "the nightly comparison did not run": {
      alerts: ["NotCompared"],
      cause: async () => {
        await query(
          "UPDATE daily_figures SET updated_at = now() - interval '2 days' WHERE name = 'compared'",
        );
        await query("UPDATE customers SET created_at = now() - interval '3 days'");
      },
      mend: compare,
      endsAtOnce: true,
    },
    "a promo code meets a fault of ours": {
      alerts: ["RedemptionsFail", "ErrorsLogged"],
      cause: async () => {
        const people = await Promise.all(Array.from({ length: 3 }, () => createPerson(pool)));
        const mend = await breakStatements(site, "INSERT ON grants");
        for (const { cookie } of people) await redeem("PREMIUM3", cookie);
        return mend;
      },
    },
    "somebody guesses promo codes": {
      alerts: ["CodesGuessed"],
      cause: async () => {
        for (let guess = 0; guess < 90; guess++) await redeem(`GUESS${guess}`, cookie);
      },
    },
    "the last backup is three days old": {
      alerts: ["BackupMissing"],
      cause: () => backUp(site, "3 days"),
      mend: () => backUp(site, "1 hour"),
      endsAtOnce: true,
    },
    "900 MB fill the disk of DATA_DIR": fillDisk("DiskFilling", 900),
    "1450 MB fill the disk of DATA_DIR": fillDisk("DiskFull", 1_450),
    "the database takes no writes": {
      alerts: ["SiteNotReady"],
      cause: () => setDatabase("SET default_transaction_read_only = on"),
      mend: () => setDatabase("RESET default_transaction_read_only"),
      endsAtOnce: true,
    },
    "the database is away, and Stripe sends an event": {
      alerts: ["DatabaseAway", "WebhooksFail"],
      cause: async () => {
        const mend = await cutDatabase(site);
        await deliver(origin, anEvent());
        return mend;
      },
    },
    "a process computes for seconds": {
      alerts: ["EventLoopBlocked"],
      cause: async () =>
        goOn(1, async () => {
          process.kill(site.pidOf(WEB), "SIGSTOP");
          await sleep(700);
          process.kill(site.pidOf(WEB), "SIGCONT");
          await sleep(100);
        }),
    },
    "a process is killed": {
      alerts: ["SiteDown"],
      cause: () => site.end(WEB, "SIGKILL"),
      mend: () => site.start(WEB),
      endsAtOnce: true,
    },
    "a process ends as soon as it is started": {
      alerts: ["Restarting"],
      cause: async () => {
        for (let start = 0; start < 4; start++) {
          await sleep(3_000);
          await site.end(WEB, "SIGKILL");
          await site.start(WEB);
        }
        await query(
          "UPDATE processes SET seen_at = now() - interval '3 minutes' WHERE role = 'web' AND seen_at < now() - interval '4 seconds'",
        );
      },
    },
  };
}

/** An event about a product that does not exist. */
const anEvent = () => ({
  id: `evt_${randomUUID()}`,
  object: "event",
  type: "product.updated",
  created: Math.floor(Date.now() / 1000),
  data: { object: { id: "prod_x", object: "product" } },
});

/** Sets the age of the only good backup. */
async function backUp({ pool }: WatchedSite, age: string): Promise<void> {
  await pool.query(
    `INSERT INTO backups (id, method, started_at, finished_at, checked_at)
     SELECT 'only', 'dump', at, at, at FROM (SELECT now() - $1::interval AS at) AS moment
     ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, finished_at = excluded.finished_at,
       checked_at = excluded.checked_at`,
    [age],
  );
}
