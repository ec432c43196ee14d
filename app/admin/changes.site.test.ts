import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../../test/command.ts";
import { routeFiles } from "../../test/entrances.ts";
import { eventually, postForm } from "../../test/http.ts";
import { createOperator } from "../../test/operator.ts";
import { openPayer } from "../../test/plan-states.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { createPerson, get, type Person } from "../../test/users.ts";
import { INVITE_ANYWAY } from "../waitlist/limits.ts";
import { createMembers } from "../waitlist/members.fixture.ts";

const APP = join(import.meta.dirname, "..");
const server = setupServer();
const dataDir = mkdtempSync(join(tmpdir(), "changes-"));
let operator: Person;
let person: Person;
let payer: Person;

/** What the log has to say of a change: what was done, to what. */
type Logged = [action: string, subject: string];

beforeAll(async () => {
  operator = await createOperator(server.pool);
  person = await createPerson(server.pool);
  payer = await openPayer(server);
});

afterAll(async () => {
  rmSync(dataDir, { recursive: true });
  // A job that nothing runs is not sound: only SQL makes one.
  await server.pool.query("DELETE FROM outbox WHERE kind = 'nothing_runs_this'");
});

const sql = async (query: string, values: unknown[] = []) => (await server.pool.query(query, values)).rows;

const hiddenIn = async (path: string, name: string) => {
  const html = await (await get(server, path, operator.cookie)).text();
  const [, value = ""] = new RegExp(`name="${name}" value="([^"]*)"`).exec(html) ?? [];
  return value.replaceAll("&quot;", '"').replaceAll("&#x27;", "'").replaceAll("&amp;", "&");
};

interface Change {
  /** Where it is sent, once what it needs is there. */
  path: string;
  fields: Record<string, string>;
  logged: Logged;
}

/** Changes of each action of the console, by its address in routes.ts: some have several buttons. */
const CHANGES: [route: string, prepare: () => Promise<Change> | Change][] = [
  ["/admin/people/:id", () => onPerson({ do: "sync" }, "user.synced", payer)],
  ["/admin/people/:id", () => onPerson({ do: "confirmation" }, "user.mail_sent")],
  ["/admin/people/:id", () => onPerson({ do: "new_password" }, "user.mail_sent")],
  [
    "/admin/people/:id",
    async () => {
      const [invoice] = await sql("SELECT id FROM stripe_invoices WHERE user_id = $1", [payer.id]);
      return onPerson({ do: "receipt", invoice: invoice?.id }, "user.mail_sent", payer);
    },
  ],
  [
    "/admin/people/:id/money",
    async () => {
      const path = `/admin/people/${payer.id}/money`;
      const seen = await hiddenIn(`${path}?do=credit&amount=5`, "seen");
      const fields = { do: "credit", amount: "5", seen, reason: "A test" };
      return { path, fields, logged: ["user.credited", `user:${payer.id}`] };
    },
  ],
  [
    "/admin/people/:id/give",
    () => {
      const fields = { tier: "basic", months: "1", reason: "A test", grant: randomUUID() };
      return { ...onPerson(fields, "user.access_given"), path: `/admin/people/${person.id}/give` };
    },
  ],
  [
    "/admin/people/:id",
    async () => {
      const [grant] = await sql("SELECT id FROM grants WHERE user_id = $1", [person.id]);
      return onPerson({ do: "revoke", grant: grant?.id, reason: "A test" }, "user.access_revoked");
    },
  ],
  [
    "/admin/people/:id",
    async () => {
      await giveFactor(person);
      return onPerson({ do: "remove_factor", reason: "A test" }, "user.second_factor_removed");
    },
  ],
  ["/admin/people/:id", () => onPerson({ do: "sign_out" }, "user.signed_out", payer)],
  [
    "/admin/people/:id/export",
    () => ({ ...onPerson({}, "user.exported"), path: `/admin/people/${person.id}/export` }),
  ],
  [
    "/admin/people/:id/delete",
    () => {
      const fields = { email: person.email, reason: "A test" };
      return { ...onPerson(fields, "user.deleted"), path: `/admin/people/${person.id}/delete` };
    },
  ],
  [
    "/admin/new-code",
    () => {
      const fields = { code: CODE, random: "UNUSED", tier: "basic", months: "1", note: "A test" };
      return { path: "/admin/new-code", fields, logged: ["promo_code.created", `promo_code:${CODE}`] };
    },
  ],
  [
    "/admin/codes/:code/edit",
    async () => {
      const path = `/admin/codes/${CODE}/edit`;
      const fields = { tier: "basic", months: "2", seen: await hiddenIn(path, "seen") };
      return { path, fields, logged: ["promo_code.edited", `promo_code:${CODE}`] };
    },
  ],
  ["/admin/codes/:code", () => onCode("pause", "promo_code.paused")],
  ["/admin/codes/:code", () => onCode("resume", "promo_code.resumed")],
  ["/admin/codes", () => onSelectedCode("pause", "promo_code.paused")],
  ["/admin/codes", () => onSelectedCode("resume", "promo_code.resumed")],
  [
    "/admin/batches/new",
    () => {
      const fields = { batch: BATCH, name: "A batch", size: "3", months: "1" };
      return { path: "/admin/batches/new", fields, logged: ["promo_batch.created", `promo_batch:${BATCH}`] };
    },
  ],
  [
    "/admin/batches/:batch",
    async () => {
      const isMade = "SELECT FROM promo_batches WHERE id = $1 AND finished_at IS NOT NULL";
      await eventually(async () => (await sql(isMade, [BATCH])).length, "the batch is made");
      const logged: Logged = ["promo_batch.paused", `promo_batch:${BATCH}`];
      return { path: `/admin/batches/${BATCH}`, fields: { do: "pause" }, logged };
    },
  ],
  [
    "/admin/waitlist/invite",
    async () => {
      await createMembers(server.pool, 2, true);
      const invitation = randomUUID();
      const fields = { count: "2", tier: "basic", months: "1", invitation, confirm: INVITE_ANYWAY };
      const logged: Logged = ["waitlist.invited", `waitlist_invitation:${invitation}`];
      return { path: "/admin/waitlist/invite", fields, logged };
    },
  ],
  ["/admin/messages/:message", () => onMessage({ answer: "Thank you" }, "contact_message.answered")],
  ["/admin/messages/:message", () => onMessage({ do: "mark" }, "contact_message.marked_answered")],
  ["/admin/messages/:message", () => onMessage({ do: "delete" }, "contact_message.deleted")],
  ["/admin/messages", () => onSelectedMessage()],
  ["/admin/jobs", () => onJob("/admin/jobs")],
  ["/admin/mail", () => onJob("/admin/mail")],
  ["/admin/mail/:mail", () => onJob(null)],
  [
    "/admin/plans",
    () => ({ path: "/admin/plans", fields: {}, logged: ["catalogue.synced", "catalogue:stripe"] }),
  ],
  ["/admin/changelog", () => onEntry("changelog_entry.added", {}, "/admin/changelog")],
  ["/admin/changelog/:entry", () => onEntry("changelog_entry.edited", { title: "New words" })],
  ["/admin/changelog/:entry", () => onEntry("changelog_entry.mailed", { do: "mail", sure: "on" })],
  ["/admin/changelog/:entry", () => onEntry("changelog_entry.deleted", { do: "delete" })],
  [
    "/admin/features",
    () => onFeature({ do: "open", day: "2999-01-31", seen: "", sure: "on" }, "feature.scheduled"),
  ],
  [
    "/admin/features",
    () => onFeature({ do: "close", day: "", seen: "2999-01-31T00:00:00.000Z" }, "feature.closed"),
  ],
];

const CODE = "LOGGED";
const BATCH = randomUUID();
const ENTRY = randomUUID();

function onPerson(fields: Record<string, string>, action: string, of = person): Change {
  return { path: `/admin/people/${of.id}`, fields, logged: [action, `user:${of.id}`] };
}

function onCode(order: string, action: string): Change {
  return { path: `/admin/codes/${CODE}`, fields: { do: order }, logged: [action, `promo_code:${CODE}`] };
}

function onSelectedCode(press: string, action: string): Change {
  return {
    path: "/admin/codes",
    fields: { do: press, selected: CODE },
    logged: [action, `promo_code:${CODE}`],
  };
}

function onFeature(fields: Record<string, string>, action: string): Change {
  const logged: Logged = [action, "feature:banking_api"];
  return { path: "/admin/features", fields: { feature: "banking_api", ...fields }, logged };
}

function onEntry(action: string, fields: Record<string, string>, path = `/admin/changelog/${ENTRY}`): Change {
  const typed = { id: ENTRY, title: "News", day: "2026-11-28", body: "Some" };
  return { path, fields: { ...typed, ...fields }, logged: [action, `changelog_entry:${ENTRY}`] };
}

async function onMessage(fields: Record<string, string>, action: string): Promise<Change> {
  const id = randomUUID();
  await sql(
    `INSERT INTO contact_messages (id, name, email, topic, message, content_hash)
     VALUES ($1, 'Ada', 'ada@example.com', 'idea', 'Hello', $1)`,
    [id],
  );
  return { path: `/admin/messages/${id}`, fields, logged: [action, `contact_message:${id}`] };
}

async function onSelectedMessage(): Promise<Change> {
  const change = await onMessage({}, "contact_message.marked_answered");
  const [, selected = ""] = change.logged[1].split(":");
  return { ...change, path: "/admin/messages", fields: { do: "mark", selected } };
}

/** Shown in every session of theirs. */
async function giveFactor({ id }: Person): Promise<void> {
  await sql("INSERT INTO passkeys (id, user_id, name, public_key) VALUES ($1, $1, 'A key', '')", [id]);
  await sql("UPDATE session SET second_factor_at = now() WHERE user_id = $1", [id]);
}

async function onJob(path: string | null): Promise<Change> {
  const [job] = await sql(`INSERT INTO outbox (kind, payload, attempts, run_at, last_error)
    VALUES ('nothing_runs_this', '{}', 3, now() + interval '1 hour', 'A test') RETURNING id`);
  const logged: Logged = ["job.retried", `job:${job?.id}`];
  return { path: path ?? `/admin/mail/${job?.id}`, fields: { job: job?.id }, logged };
}

const logOf = ([action, subject]: Logged) =>
  sql("SELECT * FROM audit_log WHERE action = $1 AND subject = $2", [action, subject]);

const rowsOfLog = async () => (await sql("SELECT count(*)::int AS rows FROM audit_log"))[0]?.rows;

test("every action of the console is among the changes", () => {
  const withAction = routeFiles()
    .filter(({ path }) => path === "/admin" || path.startsWith("/admin/"))
    .filter(({ file }) =>
      /^export (async function|const) action\b/m.test(readFileSync(join(APP, file), "utf8")),
    )
    .map(({ path }) => path);
  expect(withAction.length).toBeGreaterThan(10);
  expect(withAction.toSorted()).toEqual([...new Set(CHANGES.map(([route]) => route))].toSorted());
});

test("each change of the console is in the log with its operator, and names no address; without one it is nowhere", async () => {
  const user = await createPerson(server.pool);
  for (const [route, prepare] of CHANGES) {
    const { path, fields, logged } = await prepare();
    const before = await rowsOfLog();
    const refused = await postForm(server, path, fields, user.cookie);
    expect([route, refused.status]).toEqual([route, 404]);
    expect([route, await rowsOfLog()]).toEqual([route, before]);

    const logs = (await logOf(logged)).length;
    const answer = await postForm(server, path, fields, operator.cookie);
    expect([route, fields, answer.status]).toEqual([route, fields, route.endsWith("/export") ? 200 : 303]);
    const rows = await logOf(logged);
    expect([...logged, rows.length]).toEqual([...logged, logs + 1]);
    expect(rows.at(-1)).toMatchObject({ actor: operator.email });
    expect(
      `${logged[0]} ${JSON.stringify(rows.map(({ subject, before, after }) => [subject, before, after]))}`,
    ).not.toMatch(/@/);
  }
});

/** Placeholders in a command for the people created by the test. */
const COMMANDS: [command: string, logged: Logged][] = [
  ["person sync PAYER", ["user.synced", "user:PAYER"]],
  ["person give WHO --tier basic --reason Thanks", ["user.access_given", "user:WHO"]],
  ["person revoke WHO GRANT --reason Mistake", ["user.access_revoked", "user:WHO"]],
  ["person credit PAYER --amount 5 --reason Sorry --yes", ["user.credited", "user:PAYER"]],
  ["person end PAYER --refund 10 --reason Asked --yes", ["user.plan_ended", "user:PAYER"]],
  ["person sign-out WHO", ["user.signed_out", "user:WHO"]],
  ["person remove-second-factor WHO --reason Lost", ["user.second_factor_removed", "user:WHO"]],
  ["person export WHO", ["user.exported", "user:WHO"]],
  ["person delete WHO --confirm WHO@example.com --reason Asked", ["user.deleted", "user:WHO"]],
  ["promo create SCRIPTED --months 1", ["promo_code.created", "promo_code:SCRIPTED"]],
  ["promo edit SCRIPTED --max-uses 5", ["promo_code.edited", "promo_code:SCRIPTED"]],
  ["promo pause SCRIPTED", ["promo_code.paused", "promo_code:SCRIPTED"]],
  ["promo resume SCRIPTED", ["promo_code.resumed", "promo_code:SCRIPTED"]],
  ["promo batch Leaflets --size 2 --months 1", ["promo_batch.created", "promo_batch:%"]],
  [
    "waitlist invite 1 --tier basic --id scripted --confirm ANYWAY",
    ["waitlist.invited", "waitlist_invitation:scripted"],
  ],
  ["jobs retry JOB", ["job.retried", "job:JOB"]],
  ["catalogue sync", ["catalogue.synced", "catalogue:stripe"]],
  ["features open banking_api --at 2999-01-31 --yes", ["feature.scheduled", "feature:banking_api"]],
  ["features close banking_api", ["feature.closed", "feature:banking_api"]],
];

test("each command that changes something is in the log, too", async () => {
  const env = {
    AUTH_SECRET,
    DATA_DIR: dataDir,
    PORT: server.port,
    DATABASE_URL: server.pool.options.connectionString ?? "",
  };
  const who = await createPerson(server.pool);
  await giveFactor(who);
  await createMembers(server.pool, 1, true);
  const [job] = await sql(`INSERT INTO outbox (kind, payload, attempts, run_at, last_error)
    VALUES ('nothing_runs_this', '{}', 3, now() + interval '1 hour', 'A test') RETURNING id`);
  for (const [command, [action, subject]] of COMMANDS) {
    const [grant] = await sql("SELECT id FROM grants WHERE user_id = $1", [who.id]);
    const filledIn = (text: string) =>
      text
        .replaceAll("WHO", who.id)
        .replace("PAYER", payer.id)
        .replace("GRANT", grant?.id)
        .replace("JOB", job?.id);
    const words = filledIn(command)
      .split(" ")
      .map((word) => (word === "ANYWAY" ? INVITE_ANYWAY : word));
    const { code, printed } = await runCommand("bin/ops.ts", words, env);
    expect([command, code], printed).toEqual([command, 0]);
    const rows = await sql(
      "SELECT subject, before, after FROM audit_log WHERE actor = 'npm run ops' AND action = $1 AND subject LIKE $2",
      [action, filledIn(subject)],
    );
    expect([command, rows.length]).toEqual([command, 1]);
    expect(JSON.stringify(rows)).not.toContain("@");
  }
});
