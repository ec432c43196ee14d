import { drizzle } from "drizzle-orm/node-postgres";
import { expect, test } from "vitest";
import { eventually, mainOf, postForm } from "../../../test/http.ts";
import { mailTo } from "../../../test/mail.ts";
import { createOperator } from "../../../test/operator.ts";
import { openPayer } from "../../../test/plan-states.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../../test/server.ts";
import { get, type Person } from "../../../test/users.ts";
import { readConfig } from "../../config/config.server.ts";
import { countRefund } from "./refund-count.server.ts";

const server = setupServer();
const config = readConfig({ AUTH_SECRET });

const page = async (path: string, { cookie }: Person) =>
  (await mainOf(await get(server, path, cookie))).replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
const ask = ({ cookie }: Person) => postForm(server, "/subscription/refund", { total: "4999" }, cookie);

const kindOf = async (payer: { subscription: string }) =>
  (await server.pool.query("SELECT kind FROM plan_changes WHERE subscription_id = $1", [payer.subscription]))
    .rows[0]?.kind;

/** Two refunds of earlier accounts of the same mailbox. */
async function hadTwo({ email }: Person, ago = "0 days"): Promise<void> {
  const [local, domain] = email.split("@");
  for (const spelling of [`${local}+1@${domain}`, `${local}+again@${domain}`.toUpperCase()]) {
    const subscription = `sub_${crypto.randomUUID()}`;
    await countRefund(drizzle(server.pool), config, spelling, subscription);
    await server.pool.query(
      "UPDATE counted_refunds SET refunded_at = now() - $1::interval WHERE subscription_id = $2",
      [ago, subscription],
    );
  }
}

test("the third refund of a mailbox within a year asks the operators, and is not paid by itself", async () => {
  const payer = await openPayer(server);
  await hadTwo(payer, "364 days");
  const before = await page("/subscription/refund", payer);
  expect(before).toContain("You have had two refunds in the last twelve months.");
  expect(before).toContain("We usually reply within 2 business days.");
  expect(before).toContain("withdraw here");
  for (let press = 0; press < 2; press += 1)
    expect((await ask(payer)).headers.get("location")).toBe("/subscription/refund?asked=1");
  expect(await page("/subscription/refund?asked=1", payer)).toContain("We have your question about $49.99");
  expect(await kindOf(payer)).toBeUndefined();
  const { rows } = await server.pool.query("SELECT topic, message FROM contact_messages WHERE email = $1", [
    payer.email,
  ]);
  expect(rows).toEqual([{ topic: "payment", message: expect.stringContaining(`/admin/people/${payer.id}`) }]);
  expect(rows[0].message).toContain(payer.subscription);
  expect((await mailTo(server, "support@ownwords.example", /Payment or plan/)).text).toContain("$49.99");
});

test("a withdrawal is paid however many refunds there were, and is not counted", async () => {
  const payer = await openPayer(server);
  await hadTwo(payer);
  const form = { name: "Ada", email: payer.email, confirm: "1" };
  expect((await postForm(server, "/subscription/withdraw", form, payer.cookie)).status).toBe(303);
  expect(await kindOf(payer)).toBe("withdraw");
  expect(
    (await server.pool.query("SELECT FROM counted_refunds WHERE subscription_id = $1", [payer.subscription]))
      .rowCount,
  ).toBe(0);
});

test("refunds of more than a year ago do not count, and each that is paid does", async () => {
  const payer = await openPayer(server);
  await hadTwo(payer, "367 days");
  expect((await ask(payer)).headers.get("location")).toBe("/dashboard");
  expect(await kindOf(payer)).toBe("refund");
  expect(
    (await server.pool.query("SELECT FROM counted_refunds WHERE subscription_id = $1", [payer.subscription]))
      .rowCount,
  ).toBe(1);
});

test("an operator pays it anyway, with a reason, for the day of the question, and only what their page said", async () => {
  const payer = await openPayer(server);
  const operator = await createOperator(server.pool);
  await hadTwo(payer);
  await ask(payer);
  await server.pool.query(
    "UPDATE contact_messages SET created_at = now() - interval '10 days' WHERE email = $1",
    [payer.email],
  );
  const path = `/admin/people/${payer.id}`;
  const { cookie } = operator;
  expect(await page(path, operator)).toContain("Refund $49.99 now");
  const press = (fields: Record<string, string>) =>
    postForm(server, path, { do: "refund", ...fields }, cookie);
  expect((await press({ total: "4999", reason: "" })).status).toBe(400);
  expect((await press({ total: "1", reason: "They explained it" })).status).toBe(409);
  expect(await kindOf(payer)).toBeUndefined();
  const pressed = await press({ total: "4999", reason: "They explained it" });
  expect(pressed.headers.get("location")).toBe(`${path}?said=refunded`);
  const { rows } = await server.pool.query(
    `SELECT kind, requested_at < now() - interval '9 days' AS is_of_the_question,
       (SELECT count(*)::int FROM counted_refunds WHERE subscription_id = $1) AS counted
     FROM plan_changes WHERE subscription_id = $1`,
    [payer.subscription],
  );
  expect(rows).toEqual([{ kind: "refund", is_of_the_question: true, counted: 1 }]);
  expect(
    (
      await server.pool.query("SELECT actor, action, reason FROM audit_log WHERE subject = $1", [
        `user:${payer.id}`,
      ])
    ).rows,
  ).toEqual([{ actor: operator.email, action: "user.refunded", reason: "They explained it" }]);
  await eventually(async () => {
    const { rows } = await server.pool.query(
      "SELECT amount_refunded FROM stripe_invoices WHERE user_id = $1 AND amount_refunded = 4999",
      [payer.id],
    );
    return rows[0];
  }, "it is paid back");
  expect(await page(path, operator)).not.toContain("Refund anyway");
});
