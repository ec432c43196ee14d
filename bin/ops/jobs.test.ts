import { expect, test } from "vitest";
import { setupOps } from "../../test/ops.ts";

const { database, ops: jobs } = setupOps(["jobs"], ({ pool }) =>
  pool.query(
    `INSERT INTO outbox (id, kind, payload, attempts, run_at, last_error, claimed_at, done_at) VALUES
       (11, 'send_mail', '{"text": "secret"}', 3, now() + interval '4 minutes', 'Error: away', NULL, NULL),
       (12, 'sync_customer', '{}', 1, now() + interval '1 hour', NULL, now(), NULL),
       (13, 'send_mail', '{}', 1, now(), NULL, now(), now())`,
  ),
);

test("jobs are listed, looked at and tried now, and programs are told the same", async () => {
  const open = await jobs("list");
  expect(open.printed).toMatch(
    /^11 {2}send_mail .* 3 tries {2}failing, next try .*\n {4}Error: away\n12 .* running\n$/,
  );
  expect(open.printed).not.toContain("secret");
  expect((await jobs("list", "failing")).printed).toMatch(/^11 /);
  const done = JSON.parse((await jobs("list", "done", "--json")).printed);
  expect(done).toMatchObject([{ id: "13", kind: "send_mail", doneAt: expect.any(String) }]);
  expect((await jobs("show", "12")).printed).toMatch(/^12 {2}sync_customer/);

  expect(await jobs("retry", "11")).toEqual({ code: 0, printed: expect.stringContaining("is tried now") });
  const { rows } = await database.pool.query("SELECT run_at <= now() AS due FROM outbox WHERE id = 11");
  expect(rows).toEqual([{ due: true }]);
  const log = await database.pool.query("SELECT actor, action, subject FROM audit_log");
  expect(log.rows).toEqual([{ actor: "npm run ops", action: "job.retried", subject: "job:11" }]);
});

test.each([
  [["retry", "12"], 1, "is being tried at this moment"],
  [["retry", "13"], 1, "is done already"],
  [["retry", "99"], 1, "there is no job 99"],
  [["show", "99"], 1, "there is no job 99"],
  [["retry"], 2, "Usage: npm run ops -- jobs retry NUMBER"],
  [["show", "1;2"], 2, "Usage:"],
  [["list", "all"], 2, "there is no state all"],
  [["delete", "11"], 2, "jobs retry NUMBER"],
])("%j ends with %i and says why", async (args, code, complaint) => {
  const answer = await jobs(...args);
  expect([answer.code, answer.printed]).toEqual([code, expect.stringContaining(complaint)]);
});
