import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { runCommand } from "../../test/command.ts";
import { databaseSettings } from "../../test/database.ts";
import { control } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { readConfig } from "../config/config.server.ts";
import { freePort } from "../db/embedded.server.ts";
import { examine } from "./doctor.server.ts";
import type { Finding } from "./finding.ts";

const server = setupServer({ LOG_LEVEL: "error" });

afterEach(() => control(server, { reset: true }));

/** The settings that the operator's shell has beside the server. */
async function settings(changes: Record<string, string> = {}) {
  const { rows } = await server.pool.query("SELECT current_database() AS name");
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${rows[0].name}`;
  const origin = { PORT: server.port, PUBLIC_ORIGIN: `http://127.0.0.1:${server.port}` };
  return { ...databaseSettings(url.href), ...origin, ...changes };
}

async function doctor(changes: Record<string, string> = {}, settledSeconds?: number): Promise<Finding[]> {
  const config = readConfig(await settings(changes));
  return examine(config, config.database, settledSeconds);
}

/** What is wrong, as lines. */
function wrong(found: readonly Finding[]): string[] {
  return found.flatMap(({ check, level, says }) => (level === "ok" ? [] : [`${level} ${check}: ${says}`]));
}

test("a site that is well has nothing to act on, and the command says so with 0", async () => {
  const found = await doctor({ COMMIT: "9fceb02d0ae598e9" });
  expect(wrong(found)).toEqual([]);
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(found[0]?.says).toContain(`version ${version}+9fceb02d0ae5; Node ${process.versions.node}; `);
  const env = await settings();
  const run = (...args: string[]) => runCommand("bin/doctor.ts", args, env);
  expect(await run()).toEqual({ code: 0, printed: expect.stringContaining("0 to act on, 0 to look at") });
  expect(await run("--fix")).toEqual({ code: 3, printed: expect.stringContaining("Usage") });
  Object.assign(env, { DATABASE_POOL_SIZE: "one", SMTP_URL: "smtp.example.com" });
  const { code, printed } = await run("--json");
  expect(code).toBe(2);
  expect(JSON.parse(printed)).toMatchObject({
    level: "fail",
    checks: [{ says: expect.stringContaining("POOL_SIZE") }, { says: expect.stringContaining("SMTP_URL") }],
  });
});

test("each thing that is away is named, and what to do", async () => {
  const away = { DATABASE_URL: "", DATABASE_OWNER_URL: "" };
  const port = await freePort();
  for (const name of ["DATABASE_URL", "DATABASE_OWNER_URL"] as const)
    away[name] = Object.assign(new URL((await settings())[name] ?? ""), { port }).href;
  const lost = await doctor({
    ...away,
    SMTP_URL: `smtp://u:a-secret@127.0.0.1:${port}`,
    MAIL_FROM: "a@own.example",
  });
  expect(wrong(lost)).toEqual([
    expect.stringMatching(/^fail mail: 127.0.0.1:\d+ does not take mail: .*ECONNREFUSED/),
    expect.stringMatching(/^fail database: the database at .* is not running/),
  ]);
  expect(JSON.stringify(lost)).not.toContain("a-secret");

  await control(server, { api: "down" });
  expect(wrong(await doctor({ PUBLIC_ORIGIN: `http://127.0.0.1:${port}` }))).toEqual([
    expect.stringContaining("fail site: "),
    "fail stripe: the payments sandbox does not answer",
  ]);
});

test("events that Stripe cannot deliver, and those that nobody handles", async () => {
  await control(server, { webhooks: "hold" });
  const { rows } = await server.pool.query(
    "SELECT object->>'id' AS id FROM sandbox_stripe.objects WHERE kind = 'event' ORDER BY sequence LIMIT 1",
  );
  await server.pool.query(
    `UPDATE sandbox_stripe.objects SET object = object || '{"pending_webhooks": 1}' WHERE id = $1`,
    [rows[0].id],
  );
  expect(wrong(await doctor({}, 0)), "it is here, and pending for another user").toEqual([]);
  await server.pool.query("DELETE FROM stripe_events WHERE id = $1", [rows[0].id]);
  expect(wrong(await doctor({}, 0))).toEqual([
    "fail webhooks: 1 event of the last day did not get through from Stripe",
  ]);
  await server.pool.query(
    `WITH event AS (
       INSERT INTO stripe_events (id, type, created, received_at) VALUES ($1, 'x', now(), now() - interval '2 hours')
       RETURNING id
     ) INSERT INTO outbox (kind, payload, event_ids, run_at)
       SELECT 'nothing_runs_this', '{}', ARRAY[id], now() + interval '1 minute' FROM event`,
    [rows[0].id],
  );
  expect(wrong(await doctor({}, 0))).toEqual([
    expect.stringContaining("fail webhooks: 1 event from Stripe not handled yet, the oldest for 2 hours"),
  ]);
  await server.pool.query(
    "UPDATE stripe_events SET handled_at = now(); DELETE FROM outbox WHERE kind = 'nothing_runs_this'",
  );
});

test("with STRIPE_TAX=on it says whether Stripe can add tax", async () => {
  const on = { STRIPE_TAX: "on" };
  const ofTax = (found: readonly Finding[]) => found.filter(({ says }) => /tax/i.test(says));
  expect(ofTax(await doctor())).toEqual([]);
  expect(ofTax(await doctor(on))).toMatchObject([
    { check: "stripe", level: "ok", says: "Stripe Tax is set up" },
  ]);
  await control(server, { tax: "pending" });
  expect(wrong(await doctor(on))).toEqual([
    "fail stripe: STRIPE_TAX is on, and Stripe Tax is not set up: nobody can buy a plan. Missing: head_office",
  ]);
});

test("work that is not done, drift, dead processes, missing backups and data that is not sound", async () => {
  await server.pool.query(`
    UPDATE processes SET role = 'web';
    INSERT INTO processes (id, role, version, host, seen_at)
    VALUES ('killed', 'worker', '0.7.0', 'here', now() - interval '20 minutes'), ('old', 'web', '0.7.0', 'there', now());
    INSERT INTO backups (id, method, started_at, finished_at, checked_at)
    SELECT 'good', 'dump', at, at, at FROM (SELECT now() - interval '4 days' AS at) AS moment;
    INSERT INTO backups (id, method, finished_at, failure) VALUES ('bad', 'dump', now(), 'the disk is full');
    INSERT INTO outbox (kind, payload, attempts, created_at, run_at)
    VALUES ('nothing_runs_this', '{}', 6, now() - interval '1 hour', now() - interval '10 minutes');
    INSERT INTO mails (id, recipient, subject, given_up_at) VALUES (1, 'ada@example.com', 'Hello', now());
    INSERT INTO daily_figures (day, name, label, value) SELECT (now() AT TIME ZONE 'UTC')::date, 'compared', label, value
    FROM (VALUES ('customers', 9), ('mended', 2), ('failed', 1), ('orphans', 0)) AS found (label, value);
    INSERT INTO promo_codes (code, used_count, duration_type) VALUES ('ODD', 3, 'forever')`);
  const found = await doctor();
  await server.pool.query("DELETE FROM promo_codes; DELETE FROM outbox WHERE kind = 'nothing_runs_this'");
  expect(wrong(found)).toEqual([
    "fail reconcile: 1 customer could not be compared with Stripe",
    expect.stringMatching(/^warn reconcile: 2 differences from Stripe/),
    expect.stringMatching(/^fail jobs: a job has been due for 10 minutes and nothing takes it/),
    expect.stringMatching(/^fail jobs: 1 job failed again and again/),
    expect.stringMatching(/^warn mail queue: 1 mail given up in the last week/),
    expect.stringMatching(/^fail processes: no process does the background work/),
    "warn processes: 2 versions run side by side",
    expect.stringMatching(
      /^warn processes: 1 process ended without saying so, last seen 20 minutes ago at here/,
    ),
    "fail backup: the last backup failed: the disk is full",
    "fail backup: the last good backup is 4 days old",
    expect.stringMatching(
      /^fail invariants: does not hold: a promo code's used_count is the number of its grants/,
    ),
  ]);
  expect(found.find(({ check }) => check === "processes")?.says).toMatch(
    /^2 processes; .*version 0\.7\.0 at there/,
  );
  expect(JSON.stringify(found)).not.toContain("ada@example.com");
});
