import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { mainOf, postForm } from "../../../test/http.ts";
import { everyMailTo, mailTo } from "../../../test/mail.ts";
import { createOperator } from "../../../test/operator.ts";
import { openPayer } from "../../../test/plan-states.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { createPerson, get, type Person, verify } from "../../../test/users.ts";

const server = sharedServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
});

const pathOf = ({ id }: Pick<Person, "id">) => `/admin/people/${id}/delete`;

function remove(person: Person, fields: Record<string, string> = {}) {
  const sent = { email: person.email, reason: "Asked by email", subscription: "", ...fields };
  return postForm(server, pathOf(person), sent, operator.cookie);
}

const exists = async ({ id }: Person) =>
  (await server.pool.query(`SELECT FROM "user" WHERE id = $1`, [id])).rowCount === 1;

const deletionsOf = async ({ id }: Person) =>
  (
    await server.pool.query("SELECT * FROM audit_log WHERE subject = $1 AND action = 'user.deleted'", [
      `user:${id}`,
    ])
  ).rows;

test("on request: once, signed for without a name, with their own mail, and nothing said about them is left", async () => {
  const person = await createPerson(server.pool);
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at, reason)
     VALUES ($1, $2, 'basic', 'admin', now() + interval '1 day', 'Ada is a friend')`,
    [randomUUID(), person.id],
  );
  const page = await mainOf(await get(server, pathOf(person), operator.cookie));
  expect(page).toContain("They pay for nothing");
  for (const [fields, words] of [
    [{ email: "ada@example.com" }, "That’s not their email address"],
    [{ email: "" }, "Type their email address"],
    [{ reason: "" }, "Say why"],
  ] as const) {
    const refused = await remove(person, fields);
    expect([refused.status, await mainOf(refused)]).toEqual([400, expect.stringContaining(words)]);
  }
  expect([await exists(person), await deletionsOf(person)]).toEqual([true, []]);

  const answers = await Promise.all(Array.from({ length: 5 }, () => remove(person)));
  expect(new Set(answers.map((answer) => answer.headers.get("location")))).toEqual(
    new Set(["/admin/people?said=deleted"]),
  );
  expect(await exists(person)).toBe(false);
  const written = await deletionsOf(person);
  expect(written).toMatchObject([{ actor: operator.email, reason: "Asked by email" }]);
  expect(JSON.stringify(written)).not.toContain(person.email);
  await mailTo(server, person.email, /^Your account is deleted$/);
  expect(await everyMailTo(server, person.email)).toHaveLength(1);
  const { rows } = await server.pool.query("SELECT FROM grants WHERE reason = 'Ada is a friend'");
  expect(rows).toEqual([]);
  expect((await get(server, pathOf(person), operator.cookie)).status).toBe(404);
});

test("a plan that the operator was not shown is not ended; once shown, it ends at Stripe as well", async () => {
  const payer = await openPayer(server);
  const refused = await remove(payer);
  expect([refused.status, await mainOf(refused)]).toEqual([
    409,
    expect.stringContaining("A payment from them just came in"),
  ]);
  expect([await exists(payer), await deletionsOf(payer)]).toEqual([true, []]);
  const page = await mainOf(await get(server, pathOf(payer), operator.cookie));
  expect(page).toContain("CSV + Banking ends now, with no refund");
  expect(page).toContain(`value="${payer.subscription}"`);
  const done = await remove(payer, { subscription: payer.subscription });
  expect(done.headers.get("location")).toBe("/admin/people?said=deleted");
  expect(await exists(payer)).toBe(false);
  expect(await deletionsOf(payer)).toMatchObject([{ before: { paidSubscription: payer.subscription } }]);
  const { rows } = await server.pool.query("SELECT FROM stripe_events WHERE customer_id = $1", [
    payer.customer,
  ]);
  expect(rows).toEqual([]);
});

test("no operator is deleted here, neither another nor oneself", async () => {
  const refused = await remove(operator);
  expect([refused.status, await mainOf(refused)]).toEqual([
    409,
    expect.stringContaining("on the list of operators"),
  ]);
  expect(await exists(operator)).toBe(true);
  expect(await mainOf(await get(server, pathOf(operator), operator.cookie))).not.toContain("<form");
});

test("the copy for them is the one their own button gives, and that it was taken is written down", async () => {
  const person = await createPerson(server.pool);
  await verify(server, person);
  const theirs = await (await get(server, "/account/export", person.cookie)).json();
  const answer = await postForm(server, `/admin/people/${person.id}/export`, {}, operator.cookie);
  expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename=".+-account-.+\.json"$/);
  const copy = await answer.json();
  expect({ ...copy, exportedAt: null }).toEqual({ ...theirs, exportedAt: null });
  const { rows } = await server.pool.query("SELECT action FROM audit_log WHERE subject = $1", [
    `user:${person.id}`,
  ]);
  expect(rows).toEqual([{ action: "user.exported" }]);
});
