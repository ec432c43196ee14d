import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { allJobsDone, eventually, postForm } from "../../../test/http.ts";
import { createOperator, OPERATOR_EMAIL } from "../../../test/operator.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { get, type Person } from "../../../test/users.ts";

const server = setupServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
});

// What the sandbox tells of its plans at the start would be lost with its jobs.
beforeEach(async () => {
  await allJobsDone(server);
  await server.pool.query("DELETE FROM outbox; DELETE FROM mails");
});

afterEach(() => server.pool.query("DELETE FROM outbox WHERE kind = 'job_of_a_test'"));

const page = async (path: string) => (await get(server, path, operator.cookie)).text();

/** A job that no worker has a handler for, so that it stays as it is. @returns its id */
async function job(columns: Record<string, string> = {}): Promise<string> {
  const names = Object.keys(columns);
  const { rows } = await server.pool.query(
    `INSERT INTO outbox (kind, payload${names.map((name) => `, ${name}`).join("")})
     VALUES ('job_of_a_test', '{"secret": "never shown"}'${Object.values(columns)
       .map((value) => `, ${value}`)
       .join("")}) RETURNING id`,
  );
  return rows[0].id;
}

const tryNow = async (id: string, from = "/admin/jobs") =>
  (await postForm(server, from, { job: id }, operator.cookie)).headers.get("location");

const FAILING = {
  last_error: "'Error: the bank is away'",
  attempts: "7",
  run_at: "now() + interval '4 minutes'",
};

test("what fails comes first, however much waits; what is in a job is not shown", async () => {
  await server.pool.query(
    "INSERT INTO outbox (kind, payload) SELECT 'job_of_a_test', '{}' FROM generate_series(1, 120)",
  );
  const failing = await job(FAILING);
  const done = await job({ done_at: "now()" });
  const text = await page("/admin/jobs");
  expect(text).toMatch(new RegExp(`Failing.*No. ${failing}<.*Error: the bank is away.*>Waiting</h2>`, "s"));
  expect(text.split(`>No. ${failing}<`)).toHaveLength(2);
  expect(text).toMatch(new RegExp(`Recently done.*No. ${done}<`, "s"));
  expect(text).not.toContain("never shown");
  expect(await page("/admin/jobs?state=failing")).not.toContain(`No. ${done}<`);
  const csv = await page("/admin/jobs.csv?state=open");
  expect(csv.match(/job_of_a_test/g)).toHaveLength(121);
  expect(csv).toContain("Error: the bank is away");
});

test("a job is tried now instead of after its pause, once however often it is pressed, and the log says so", async () => {
  const id = await job(FAILING);
  const asked = await Promise.all([1, 2, 3].map(() => tryNow(id)));
  expect(new Set(asked)).toEqual(new Set(["/admin/jobs?said=due"]));
  const { rows } = await server.pool.query(
    "SELECT run_at <= now() AS due, attempts FROM outbox WHERE id = $1",
    [id],
  );
  expect(rows).toEqual([{ due: true, attempts: 7 }]);
  const log = await server.pool.query("SELECT actor, action FROM audit_log WHERE subject = $1", [
    `job:${id}`,
  ]);
  expect(log.rows[0]).toEqual({ actor: OPERATOR_EMAIL, action: "job.retried" });
});

test.each([
  ["running", { claimed_at: "now()", run_at: "now() + interval '20 seconds'", attempts: "1" }],
  ["done", { done_at: "now()" }],
])("one that is %s is left alone", async (state, columns) => {
  const id = await job(columns as Record<string, string>);
  const before = await server.pool.query("SELECT * FROM outbox WHERE id = $1", [id]);
  expect(await tryNow(id)).toBe(`/admin/jobs?said=${state}`);
  expect((await server.pool.query("SELECT * FROM outbox WHERE id = $1", [id])).rows).toEqual(before.rows);
  const log = await server.pool.query("SELECT FROM audit_log WHERE subject = $1", [`job:${id}`]);
  expect(log.rowCount).toBe(0);
});

test("one whose process died is due by itself, even while another of its key waits", async () => {
  const claimed = {
    dedupe_key: "'a'",
    claimed_at: "now()",
    run_at: "now() - interval '1 second'",
    attempts: "1",
  };
  const id = await job(claimed);
  await job({ dedupe_key: "'a'" });
  expect(await tryNow(id)).toBe("/admin/jobs?said=due");
});

test("what is scheduled waits for its day: it is not offered to be tried", async () => {
  const id = await job({ run_at: "now() + interval '9 days'" });
  const text = await page("/admin/jobs");
  expect(text).toMatch(new RegExp(`No. ${id}<.*Scheduled`, "s"));
  expect(text).not.toContain(`value="${id}"`);
});

test("what is no job of ours is refused, or not there", async () => {
  expect(await tryNow("999999999999999999")).toBe("/admin/jobs?said=unknown");
  expect(await tryNow("0")).toBe("/admin/jobs?said=unknown");
  for (const id of ["", "1; DROP TABLE outbox", "9".repeat(40)])
    expect((await postForm(server, "/admin/jobs", { job: id }, operator.cookie)).status).toBe(400);
});

test("a mail that fails is found, says why, and is sent by one press once the server takes it", async () => {
  const id = await job({ ...FAILING, done_at: "NULL" });
  await server.pool.query(
    "INSERT INTO mails (id, recipient, subject) VALUES ($1, 'grace@example.com', 'Your receipt')",
    [id],
  );
  expect(await page("/admin/mail?state=failing&recipient=Grace@example.com")).toMatch(
    /Your receipt.*Failing.*the bank is away/s,
  );
  expect((await page("/admin/jobs")).replaceAll("<!-- -->", "")).toMatch(
    new RegExp(`<a href="/admin/mail/${id}"[^>]*><bdi>Your receipt</bdi></a> → grace@example.com`),
  );
  const all = await page("/admin/mail");
  expect(all).toMatch(/Not delivered.*Your receipt.*Try now/s);
  expect(all.match(/Your receipt<\/bdi>/g)).toHaveLength(1);
  expect(await page("/admin/mail?state=given_up")).not.toContain("Your receipt");
  const own = await page(`/admin/mail/${id}`);
  expect(own).toMatch(/Your receipt.*Failing.*Error: the bank is away/s);
  expect(own).not.toContain("never shown");
  await server.pool.query("UPDATE outbox SET kind = 'send_mail', payload = $2 WHERE id = $1", [
    id,
    { to: "grace@example.com", subject: "Your receipt", text: "Hello", html: "<p>Hello</p>" },
  ]);
  expect(await tryNow(id, `/admin/mail/${id}`)).toBe(`/admin/mail/${id}?said=due`);
  await eventually(
    async () => (await page(`/admin/mail/${id}`)).includes("The mail server has taken it"),
    "it is sent",
  );
  expect(await page("/admin/mail.csv?state=sent")).toContain('"grace@example.com","Your receipt","sent",');
  expect(await tryNow(id, "/admin/mail")).toBe("/admin/mail?said=done");
});

test("a mail that was given up leads to its person and says who can correct the address", async () => {
  const bounced = async (id: number, recipient: string) => {
    await server.pool.query(
      "INSERT INTO mails (id, recipient, subject, given_up_at) VALUES ($1, $2, 'Your receipt', now())",
      [id, recipient],
    );
    return page(`/admin/mail/${id}`);
  };
  const { rows } = await server.pool.query("SELECT COALESCE(max(id), 0)::int AS last FROM mails");
  const known = await bounced(rows[0].last + 1, operator.email);
  expect(known).toContain(`href="/admin/people/${operator.id}"`);
  expect(known).toContain("Only they can.");
  expect(known).toContain("It can’t be sent again");
  expect(known).not.toContain("Send again");
  await server.pool.query("UPDATE mails SET about = 'confirmation' WHERE id = $1", [rows[0].last + 1]);
  for (const path of ["/admin/mail", `/admin/mail/${rows[0].last + 1}`])
    expect(await page(path), path).toContain("Send again");
  const unknown = await bounced(rows[0].last + 2, "nobody-here@example.com");
  expect(unknown).not.toContain('href="/admin/people/');
  expect(unknown).toContain("ask them to enter the right address");
});
