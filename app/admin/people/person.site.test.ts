import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { call, checkoutOf, control, eventually, mainOf, pay, postForm } from "../../../test/http.ts";
import { mailsTo, mailTo } from "../../../test/mail.ts";
import { createOperator } from "../../../test/operator.ts";
import { openPayer } from "../../../test/plan-states.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { createPerson, get, isSignedIn, type Person, signInAgain } from "../../../test/users.ts";

const server = sharedServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
});

const pageOf = ({ id }: Pick<Person, "id">) => `/admin/people/${id}`;
const look = async (path: string) => mainOf(await get(server, path, operator.cookie));
const press = (path: string, fields: Record<string, string>) =>
  postForm(server, path, fields, operator.cookie);
const search = (text: string) =>
  get(server, `/admin/search?${new URLSearchParams({ q: text })}`, operator.cookie);

/** The audit log's entries about a user, oldest first. */
async function audited({ id }: Pick<Person, "id">) {
  const { rows } = await server.pool.query(
    "SELECT actor, action, before, after, reason FROM audit_log WHERE subject = $1 ORDER BY id",
    [`user:${id}`],
  );
  return rows;
}

async function grantsOf({ id }: Pick<Person, "id">) {
  const { rows } = await server.pool.query(
    "SELECT *, round(extract(epoch FROM expires_at - now()) / 86400)::int AS days FROM grants WHERE user_id = $1",
    [id],
  );
  return rows;
}

/** Gives a month, and says how the page answered. */
async function give(person: Pick<Person, "id">, fields: Record<string, string> = {}) {
  const grant = randomUUID();
  const sent = { tier: "premium", months: "1", lastDay: "", reason: "They helped us test", grant, ...fields };
  return press(`${pageOf(person)}/give`, sent);
}

test("what they owe is what plans in force are not paid for yet, by currency", async () => {
  const person = await createPerson(server.pool);
  await server.pool.query("INSERT INTO customers (user_id, stripe_customer_id) VALUES ($1, $1)", [person.id]);
  await server.pool.query(
    `INSERT INTO stripe_subscriptions (id, user_id, price_id, tier, status, current_period_start, current_period_end, started_at,
       ended_at, sync_ticket)
     SELECT plan || $1, $1, 'price_csv_only_monthly', 'basic', status, now(), now(), now(), ended_at, 1
     FROM (VALUES ('ended-', 'canceled', now()), ('due-', 'past_due', NULL)) AS plans (plan, status, ended_at)`,
    [person.id],
  );
  await server.pool.query(
    `INSERT INTO stripe_invoices (id, user_id, subscription_id, status, currency, total, amount_due, amount_paid, attempt_count,
       created_at, sync_ticket)
     SELECT currency || due || $1, $1, plan || $1, 'open', currency, due + 100, due, 0, 1, now() - make_interval(days => due), 1
     FROM (VALUES ('usd', 199, 'due-'), ('usd', 300, 'due-'), ('eur', 250, 'due-'), ('usd', 800, 'ended-')) AS owed (currency, due, plan)`,
    [person.id],
  );
  expect(await look(pageOf(person))).toMatch(/Owes<.{0,80}?\$4\.99 \+ €2\.50</s);
});

test("charged and has no access: found, seen and synced in three presses, even if their customer is unknown here", async () => {
  await control(server, { events_lost: 1 });
  const person = await createPerson(server.pool);
  const { result } = (await (await call(server, checkoutOf(server), person.cookie)).json()) as {
    result: { url: string };
  };
  await pay(result.url);
  // As after a backup was restored.
  const { rows } = await server.pool.query("DELETE FROM customers WHERE user_id = $1 RETURNING *", [
    person.id,
  ]);
  await server.pool.query("DELETE FROM checkout_attempts WHERE user_id = $1", [person.id]);
  const customer = rows[0].stripe_customer_id;

  const found = await search(customer);
  expect([found.status, found.headers.get("location")]).toEqual([
    303,
    `${pageOf(person)}?customer=${customer}`,
  ]);
  const before = await look(found.headers.get("location") ?? "");
  expect(before).toContain("Has no plan");
  expect(before).toContain(`name="customer" value="${customer}"`);
  const synced = await press(pageOf(person), { do: "sync", customer });
  expect([synced.status, synced.headers.get("location")]).toEqual([303, `${pageOf(person)}?said=changed`]);
  const after = await look(`${pageOf(person)}?said=changed`);
  expect(after).toContain("Has CSV + Banking");
  expect(after).toContain("Stripe had something we didn’t");
  expect(await audited(person)).toMatchObject([
    { actor: operator.email, action: "user.customer_adopted", after: { customer } },
    {
      actor: operator.email,
      action: "user.synced",
      before: { customer: null, subscriptions: [] },
      after: {
        customer,
        subscriptions: [{ status: "active", tier: "premium" }],
        invoices: [{ status: "paid" }],
      },
    },
  ]);
  const again = await press(pageOf(person), { do: "sync" });
  expect(again.headers.get("location")).toBe(`${pageOf(person)}?said=same`);
  await control(server, { reset: true });
});

test("a customer that belongs to another user is not adopted, and Stripe away changes nothing", async () => {
  const [person, payer] = [await createPerson(server.pool), await openPayer(server)];
  const nothing = await press(pageOf(person), { do: "sync", customer: payer.customer });
  expect(nothing.headers.get("location")).toBe(`${pageOf(person)}?said=no_customer`);
  await control(server, { api: "down" });
  const away = await press(pageOf(payer), { do: "sync" });
  expect(away.headers.get("location")).toBe(`${pageOf(payer)}?said=stripe_away`);
  expect(await look(`/admin/search?q=pi_unheard_of`)).toContain("Stripe couldn’t be asked");
  await control(server, { reset: true });
  expect(await look(`/admin/search?q=pi_unheard_of`)).toContain("Stripe doesn’t know whose it is either");
  expect(await audited(person)).toEqual([]);
});

test("a month is given by a form: once, however often it is sent, and signed for", async () => {
  const person = await createPerson(server.pool);
  const grant = randomUUID();
  const answers = await Promise.all(Array.from({ length: 20 }, () => give(person, { grant })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
  const said = answers
    .map((answer) => answer.headers.get("location"))
    .filter((to) => to?.endsWith("said=given"));
  expect(said).toHaveLength(1);
  expect(await grantsOf(person)).toMatchObject([
    { id: grant, tier: "premium", source: "admin", promo_code: null, reason: "They helped us test" },
  ]);
  expect((await grantsOf(person))[0].days).toBeGreaterThanOrEqual(28);
  expect(await audited(person)).toMatchObject([
    { action: "user.access_given", after: { grant, tier: "premium" }, reason: "They helped us test" },
  ]);
  const page = await look(pageOf(person));
  expect(page).toContain("Has CSV + Banking");
  expect(page).toContain("In force");
  expect(page).toContain("They helped us test");
});

test("until a day, or not at all: what is no plan, no reason or over gives nothing", async () => {
  const person = await createPerson(server.pool);
  for (const [fields, words] of [
    [{ reason: " " }, "Say why"],
    [{ tier: "gold" }, "Choose a plan"],
    [{ months: "0" }, "at least 1 month"],
    [{ months: "many" }, "Enter a number of months"],
    [{ months: "1", lastDay: "2999-01-01" }, "Enter either months or a last day"],
    [{ months: "", lastDay: "2020-01-01" }, "That day is over"],
    [{ months: "", lastDay: "soon" }, "Enter a day such as"],
  ] as const) {
    const refused = await give(person, fields);
    expect([fields, refused.status]).toEqual([fields, 400]);
    const page = await mainOf(refused);
    expect(page).toContain("Nothing was given");
    expect(page).toContain(words);
  }
  expect(await grantsOf(person)).toEqual([]);
  const day = new Date(Date.now() + 10 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  expect((await give(person, { months: "", lastDay: day })).status).toBe(303);
  const [given] = await grantsOf(person);
  expect(given.expires_at.toISOString()).toBe(
    new Date(Date.parse(`${day}T00:00:00Z`) + 24 * 60 * 60 * 1000).toISOString(),
  );
  expect((await give({ id: randomUUID() })).status).toBe(404);
});

test("two that are held: the better is in force, the other waits or adds nothing; a revoked one is over once", async () => {
  const person = await createPerson(server.pool);
  await give(person, { tier: "basic", months: "1" });
  await give(person, { tier: "basic", months: "3" });
  await give(person, { tier: "premium", months: "1" });
  const page = await look(pageOf(person));
  for (const words of [">In force<", ">Waits<", ">Covered<"]) expect(page).toContain(words);
  const premium = (await grantsOf(person)).find(({ tier }) => tier === "premium");
  const revoke = (fields: Record<string, string>) =>
    press(pageOf(person), { do: "revoke", grant: premium.id, reason: "A mistake", ...fields });
  const without = await revoke({ reason: "" });
  expect([without.status, await mainOf(without)]).toEqual([400, expect.stringContaining("Say why")]);
  const other = await createPerson(server.pool);
  const notTheirs = await press(pageOf(other), { do: "revoke", grant: premium.id, reason: "A mistake" });
  expect(notTheirs.headers.get("location")).toContain("said=no_longer");
  const answers = await Promise.all(Array.from({ length: 10 }, () => revoke({})));
  expect(answers.filter((answer) => answer.headers.get("location")?.endsWith("said=revoked"))).toHaveLength(
    1,
  );
  const after = await look(pageOf(person));
  expect(after).toContain("Has CSV Only");
  expect(after).toContain("Revoked");
  expect((await audited(person)).filter(({ action }) => action === "user.access_revoked")).toMatchObject([
    { before: { grant: premium.id, tier: "premium", source: "admin" }, reason: "A mistake" },
  ]);
  expect(await audited(other)).toEqual([]);
});

test("signed out everywhere, but never oneself", async () => {
  const person = await createPerson(server.pool);
  const elsewhere = await signInAgain(server, person.email);
  const first = await press(pageOf(person), { do: "sign_out" });
  expect(first.headers.get("location")).toBe(`${pageOf(person)}?said=signed_out`);
  for (const cookie of [person.cookie, elsewhere]) expect(await isSignedIn(server, cookie)).toBe(false);
  const second = await press(pageOf(person), { do: "sign_out" });
  expect(second.headers.get("location")).toBe(`${pageOf(person)}?said=not_signed_in`);
  expect(await audited(person)).toMatchObject([{ action: "user.signed_out", before: { sessions: 2 } }]);
  expect((await press(pageOf(operator), { do: "sign_out" })).status).toBe(409);
  expect((await get(server, "/admin", operator.cookie)).status).toBe(200);
  expect(await look(pageOf(operator))).toContain("This is your own account");
});

test("a lost second factor is removed for a reason, once, with a mail about it; but never one’s own", async () => {
  const person = await createPerson(server.pool);
  await server.pool.query(
    "INSERT INTO passkeys (id, user_id, name, public_key) VALUES ($1, $1, 'Lost phone', '')",
    [person.id],
  );
  expect(await look(pageOf(person))).toContain("Passkey “Lost phone”");
  const remove = (whose: Pick<Person, "id">, reason = "Known by voice") =>
    press(pageOf(whose), { do: "remove_factor", reason });
  expect((await remove(person, "")).status).toBe(400);
  const removed = await remove(person);
  expect(removed.headers.get("location")).toBe(`${pageOf(person)}?said=factor_removed`);
  expect(await look(pageOf(person))).not.toContain("Lost phone");
  await mailTo(server, person.email, /two-step login/);
  expect((await remove(person)).headers.get("location")).toContain("said=no_factor");
  expect((await audited(person)).map(({ action, reason }) => [action, reason])).toEqual([
    ["user.second_factor_removed", "Known by voice"],
  ]);
  expect((await remove(operator)).status).toBe(409);
  expect((await get(server, "/admin", operator.cookie)).status).toBe(200);
});

test("mails are written anew: to confirm, for a new password, a receipt; and not without end", async () => {
  const payer = await openPayer(server);
  await server.pool.query(`UPDATE "user" SET email_verified = false WHERE id = $1`, [payer.id]);
  const { rows } = await server.pool.query("SELECT id FROM stripe_invoices WHERE user_id = $1", [payer.id]);
  await mailTo(server, payer.email, /^Receipt/);
  const presses: [Record<string, string>, RegExp][] = [
    [{ do: "confirmation" }, /^Confirm your email address/],
    [{ do: "new_password" }, /^Choose a new password/],
    [{ do: "receipt", invoice: rows[0].id }, /^Receipt/],
  ];
  for (const [fields, subject] of presses) {
    const sent = await press(pageOf(payer), fields);
    expect(sent.headers.get("location")).toBe(`${pageOf(payer)}?said=sent`);
    await mailTo(server, payer.email, subject);
  }
  await eventually(
    async () =>
      (await mailsTo(server, payer.email)).filter(({ subject }) => subject.startsWith("Receipt")).length ===
      2,
    "the receipt came twice",
  );
  const tooMany = await press(pageOf(payer), { do: "new_password" });
  expect([tooMany.status, tooMany.headers.has("retry-after")]).toEqual([429, true]);
  expect(await mainOf(tooMany)).toContain("Nothing was sent. Wait");
  expect((await audited(payer)).map(({ after }) => after.mail)).toEqual([
    "confirmation",
    "new_password",
    "receipt",
  ]);

  const other = await openPayer(server);
  const notTheirs = await press(pageOf(other), { do: "receipt", invoice: rows[0].id });
  expect(notTheirs.headers.get("location")).toContain("said=no_receipt");
  await server.pool.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [other.id]);
  const confirmed = await press(pageOf(other), { do: "confirmation" });
  expect(confirmed.headers.get("location")).toContain("said=not_needed");
});

test("forms the page does not have, and pages of users who do not exist", async () => {
  const person = await createPerson(server.pool);
  for (const fields of [{}, { do: "become" }, { do: "receipt", invoice: "../x" }, { do: "revoke" }])
    expect((await press(pageOf(person), fields as Record<string, string>)).status).toBe(400);
  const nobody = pageOf({ id: randomUUID() });
  for (const below of ["", "/give", "/delete", "/export"])
    expect((await get(server, nobody + below, operator.cookie)).status).toBe(404);
  expect((await press(nobody, { do: "sign_out" })).headers.get("location")).toContain("said=not_signed_in");
  expect((await press(nobody, { do: "new_password" })).status).toBe(404);
  expect((await press(`${nobody}/export`, {})).status).toBe(404);
  expect((await get(server, `${pageOf(person)}?after=bm9uc2Vuc2U`, operator.cookie)).status).toBe(200);
});

test("the page of a person leads to the other accounts of their mailbox, whatever their spelling", async () => {
  const [person, spelled, another] = await Promise.all([1, 2, 3].map(() => createPerson(server.pool)));
  if (!person || !spelled || !another) throw new Error("there are three");
  const respell = (id: string, email: string) =>
    server.pool.query(`UPDATE "user" SET email = $2 WHERE id = $1`, [id, email]);
  expect(await look(pageOf(person))).toContain("No other account");
  await respell(spelled.id, person.email.replace("@", "+again@"));
  await respell(another.id, person.email.replace("@", ".@"));
  const [own, theirs] = [await look(pageOf(person)), await look(pageOf(spelled))];
  expect(own).toContain(`href="${pageOf(spelled)}"`);
  expect(theirs).toContain(`href="${pageOf(person)}"`);
  expect(own).not.toContain(`href="${pageOf(another)}"`);
});

test("an operator previews a cancellation with a refund, says why, and it is done once", async () => {
  const payer = await openPayer(server);
  const money = `${pageOf(payer)}/money`;
  const page = await look(pageOf(payer));
  expect(page).toContain(`${money}?do=end`);
  expect(page).toContain(`https://dashboard.stripe.com/test/subscriptions/${payer.subscription}`);
  expect(page).not.toContain("customer.subscription.created");
  expect(await look(`${pageOf(payer)}?events=1`)).toContain("customer.subscription.created");
  const terms = { do: "end", when: "now", refund: "part", amount: "10" };
  const shown = await look(`${money}?${new URLSearchParams({ ...terms, preview: "1" })}`);
  for (const words of [
    "Refund $10.00 and end the plan now",
    "They get this email: We refunded $10.00",
    "<dt>Then</dt><dd>No plan</dd>",
    "That’s $39.99 less than the refund promise ($49.99).",
    "Everything paid for this plan ($49.99)",
  ])
    expect(shown).toContain(words);
  const [, seen = ""] = /name="seen" value="(\d+)"/.exec(shown) ?? [];
  const fields = { ...terms, total: "1000", seen };
  expect((await press(money, { ...fields, reason: "" })).status).toBe(400);
  const done = await press(money, { ...fields, reason: "Asked by mail" });
  expect(done.headers.get("Location")).toBe(`${pageOf(payer)}?said=plan_ended`);
  expect((await press(money, { ...fields, reason: "Asked by mail" })).status).toBe(409);
  expect(await mailTo(server, payer.email, /^We refunded \$10\.00/)).toMatchObject({});
  expect(await audited(payer)).toMatchObject([
    { action: "user.plan_ended", after: { refunded: 1000 }, reason: "Asked by mail" },
  ]);
});
