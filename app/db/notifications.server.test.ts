import type { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { eventually } from "../../test/http.ts";
import { openWire, type Wire } from "../../test/wire.ts";
import { type Notifications, openNotifications } from "./notifications.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let wire: Wire;
let notifications: Notifications;
let told: string[];

beforeAll(async () => {
  database = await openDatabase();
  wire = await openWire(database.url);
  notifications = openNotifications(wire.url(database.url));
  for (const channel of ["changes", "jobs"] as const) notifications.listen(channel, () => told.push(channel));
});

beforeEach(() => {
  told = [];
});

afterAll(async () => {
  await notifications.close();
  await wire.close();
  await database.close();
});

const pool = (): Pool => database.db.$client;

/** As a process does again and again. */
async function sendPing(): Promise<void> {
  const ping = notifications.ping();
  if (!ping) return;
  await pool().query("SELECT pg_notify($1, $2)", [ping.channel, ping.payload]);
  ping.sent();
}

/** Waits until it hears, or does not. */
const until = (isHearing: boolean) =>
  eventually(
    async () => {
      await sendPing();
      return notifications.isHearing() === isHearing;
    },
    `it ${isHearing ? "hears" : "does not hear"}`,
  );

test("it counts as hearing once a ping over another connection has come through, and says so", async () => {
  expect(notifications.isHearing()).toBe(false);
  await until(true);
  expect(told).toContain("changes");
  expect(told).toContain("jobs");
});

test("each channel has its listeners, and what this process said of jobs it is not told", async () => {
  await until(true);
  told = [];
  await pool().query("SELECT pg_notify('jobs', $1)", [notifications.processId]);
  await pool().query("SELECT pg_notify('changes', 'features')");
  await eventually(async () => told.length > 0, "it is told");
  expect(told).toEqual(["changes"]);
  await pool().query("SELECT pg_notify('jobs', 'of another')");
  await eventually(async () => told.includes("jobs"), "it is told of the job");
});

test("a connection that falls silent is found out, and heard again when it is not", async () => {
  await until(true);
  told = [];
  wire.setDeaf(true);
  await until(false);
  expect(told, "whoever waits for messages asks from now on").toEqual(["changes", "jobs"]);
  wire.setDeaf(false);
  await until(true);
});

test("a connection that is cut is replaced", async () => {
  await until(true);
  await database.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'notifications' AND datname = current_database()",
  );
  await eventually(async () => !notifications.isHearing(), "the cut is noticed");
  await until(true);
});
