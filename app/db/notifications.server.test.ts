import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { type Notifications, openNotifications } from "./notifications.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let notifications: Notifications;
let told: string[] = [];

const hears = (said: string) => eventually(async () => told.includes(said), `it hears ${said}`);

beforeAll(async () => {
  database = await openDatabase();
  notifications = openNotifications(database.url);
  for (const channel of ["changes", "jobs"] as const)
    notifications.on(channel, (message) => told.push(`${channel} ${message}`.trim()));
  await hears("jobs");
});

beforeEach(() => {
  told = [];
});

afterAll(async () => {
  await notifications.close();
  await database.close();
});

test("a job is announced with its kind whenever a statement makes it due, and only then", async () => {
  const { pool } = database;
  const insert = (kind: string, runAt: string) =>
    pool.query(`INSERT INTO outbox (kind, payload, run_at) VALUES ('${kind}', '{}', ${runAt})`);
  await insert("due", "now()");
  await hears("jobs due");
  await insert("later", "now() + interval '1 hour'");
  // Claimed, and its claim renewed.
  await pool.query(
    "UPDATE outbox SET claimed_at = now(), run_at = now() + interval '25 s' WHERE kind = 'due'",
  );
  await pool.query("UPDATE outbox SET kind = 'tried_now', run_at = now() WHERE kind = 'later'");
  await hears("jobs tried_now");
  await pool.query(
    "UPDATE outbox SET kind = 'given_back', claimed_at = NULL, run_at = now() WHERE kind = 'due'",
  );
  await hears("jobs given_back");
  expect(told).toEqual(["jobs due", "jobs tried_now", "jobs given_back"]);
});

test("what changes is announced, and after a cut connection everything is looked at again", async () => {
  await database.pool.query("INSERT INTO features (key) VALUES ('csv_processing')");
  await hears("changes features");
  await database.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notifications' AND datname = current_database()",
  );
  await Promise.all([hears("changes"), hears("jobs")]);
});
