import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { call, checkoutOf, eventually, mainOf, postForm } from "../../test/http.ts";
import { countMails, linkIn, mailsTo, mailTo } from "../../test/mail.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createPerson, get, PASSWORD, type Person, signInAgain, signUp, verify } from "../../test/users.ts";

const server = sharedServer();

const newAddress = () => `${randomUUID()}@example.com`;

const ask = ({ cookie }: Person, email: string) => postForm(server, "/account/email", { email }, cookie);

async function linkTo(email: string): Promise<string> {
  return linkIn(await mailTo(server, email, /^Confirm your new/), "/account/email/confirm");
}

async function rowOf({ id }: Person) {
  const { rows } = await server.pool.query(`SELECT email, email_verified FROM "user" WHERE id = $1`, [id]);
  return rows[0];
}

test("the address changes when the button behind the link is pressed, and not before", async () => {
  const person = await createPerson(server.pool);
  await verify(server, person);
  expect((await call(server, checkoutOf(server), person.cookie)).status).toBe(200);
  const wanted = newAddress();
  const asked = await ask(person, wanted.toUpperCase());
  expect([asked.status, asked.headers.get("location")]).toEqual([303, "/account/email?sent=1"]);
  await mailTo(server, person.email, /^Someone asked to change your email address$/);

  const link = await linkTo(wanted);
  const page = await get(server, link, person.cookie);
  expect([page.headers.get("cache-control"), page.headers.get("referrer-policy")]).toEqual([
    "no-store",
    "same-origin",
  ]);
  expect(await mainOf(page)).toContain(wanted);
  expect(await rowOf(person)).toEqual({ email: person.email, email_verified: true });

  const changed = await postForm(server, link, {}, person.cookie);
  expect([changed.status, changed.headers.get("location")]).toEqual([303, "/account/email/changed"]);
  expect(await rowOf(person)).toEqual({ email: wanted, email_verified: true });
  await mailTo(server, person.email, /^Your email address was changed$/);
  // What the privacy page promises for the day the account is deleted would not reach it any more.
  const listed = "SELECT FROM mails WHERE recipient = $1";
  expect((await server.pool.query(listed, [person.email])).rowCount).toBe(0);
  expect((await server.pool.query(listed, [wanted])).rowCount).toBeGreaterThan(0);
  await signInAgain(server, wanted);
  expect((await postForm(server, "/login", { email: person.email, password: "x" })).status).toBe(400);
  await eventually(async () => {
    const { rows } = await server.pool.query(
      `SELECT object->>'email' AS email FROM sandbox_stripe.objects
       WHERE id = (SELECT stripe_customer_id FROM customers WHERE user_id = $1)`,
      [person.id],
    );
    return rows[0]?.email === wanted;
  }, "the customer's address at Stripe");
});

test("one link used fifty times at once changes the address once, and every other link of the account dies", async () => {
  const person = await signUp(server);
  const verifyLink = linkIn(await mailTo(server, person.email, /^Confirm your email/), "/verify-email");
  const [first, second] = [newAddress(), newAddress()];
  await ask(person, first);
  await ask(person, second);
  const [link, other] = [await linkTo(first), await linkTo(second)];
  const written = await countMails(server, async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => postForm(server, link, {}, person.cookie)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]));
  });
  expect(written).toBe(1);
  expect(await rowOf(person)).toEqual({ email: first, email_verified: true });
  expect((await postForm(server, other, {}, person.cookie)).status).toBe(410);
  const done = await postForm(server, verifyLink, {}, person.cookie);
  expect(done.headers.get("location")).toBe("/verify-email/done");
  const { rowCount } = await server.pool.query(
    "SELECT FROM mail_links WHERE user_id = $1 AND used_at IS NULL",
    [person.id],
  );
  expect(rowCount).toBe(0);
  expect((await get(server, link, person.cookie)).status).toBe(410);
});

test("opened signed out, the link asks for the password, shows no name, and opens no session", async () => {
  const [person, another] = [await createPerson(server.pool), await createPerson(server.pool)];
  const wanted = newAddress();
  await ask(person, wanted);
  const link = await linkTo(wanted);
  for (const cookie of [undefined, another.cookie]) {
    const page = await mainOf(await get(server, link, cookie));
    expect(page).toContain('type="password"');
    expect(page).not.toContain(person.email);
    for (const [fields, status] of [
      [{}, 401],
      [{ password: "lantern pickle ocean 12" }, 400],
    ] as const)
      expect((await postForm(server, link, fields, cookie)).status).toBe(status);
  }
  expect(await rowOf(person)).toEqual({ email: person.email, email_verified: false });
  for (const cookie of [undefined, undefined, another.cookie]) {
    const changed = await postForm(server, link, { password: PASSWORD }, cookie);
    expect([changed.status, changed.headers.getSetCookie()]).toEqual([303, []]);
  }
  expect(await rowOf(person)).toEqual({ email: wanted, email_verified: true });
});

test("an address that is taken gets the same answer, and its owner a mail; nothing changes", async () => {
  const [person, owner] = [await signUp(server), await signUp(server)];
  const answerTo = async (email: string) => {
    const answer = await ask(person, email);
    const headers = [...answer.headers].filter(([name]) => name !== "date");
    return JSON.stringify([answer.status, headers, await answer.text()]);
  };
  expect(await answerTo(owner.email.toUpperCase())).toBe(await answerTo(newAddress()));
  const mail = await mailTo(server, owner.email, /^Someone tried to use your email address$/);
  expect(mail.text).not.toContain(person.email);
  expect(mail.text).not.toContain("token=");
  expect((await rowOf(person)).email).toBe(person.email);
});

test("an address that was taken meanwhile stays its owner's, and the link works once it is free", async () => {
  const person = await createPerson(server.pool);
  const wanted = newAddress();
  await ask(person, wanted);
  const link = await linkTo(wanted);
  const rival = await postForm(server, "/register", {
    name: "Rival",
    email: wanted,
    password: "lantern pickle ocean 12",
  });
  expect(rival.status).toBe(303);
  const refused = await postForm(server, link, {}, person.cookie);
  expect(refused.status).toBe(409);
  expect(await mainOf(refused)).toContain("This email address has another account");
  expect(await rowOf(person)).toEqual({ email: person.email, email_verified: false });

  await server.pool.query(`DELETE FROM "user" WHERE email = $1`, [wanted]);
  expect((await postForm(server, link, {}, person.cookie)).status).toBe(303);
  expect((await rowOf(person)).email).toBe(wanted);
});

test("two accounts that confirm one address at once: one has it", async () => {
  const people = [await createPerson(server.pool), await createPerson(server.pool)];
  const wanted = newAddress();
  const links: string[] = [];
  for (const person of people) {
    await ask(person, wanted);
    await eventually(async () => (await mailsTo(server, wanted)).length > links.length, "the mail");
    links.push(await linkTo(wanted));
  }
  const answers = await Promise.all(
    links.map((link, index) => postForm(server, link, {}, people[index]?.cookie)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409]);
});

test("what is no address, one's own, too long or sent twice", async () => {
  const person = await createPerson(server.pool);
  for (const email of ["", "ada", person.email.toUpperCase(), `${"x".repeat(300)}@example.com`]) {
    const refused = await ask(person, email);
    expect([email.slice(0, 20), refused.status]).toEqual([email.slice(0, 20), 400]);
  }
  expect((await fetch(`${server.origin}/account/email/confirm?token=x`)).status).toBe(410);
  expect((await postForm(server, "/account/email/confirm", {})).status).toBe(410);
});

test("a link expires after a day", async () => {
  const person = await createPerson(server.pool);
  const wanted = newAddress();
  await ask(person, wanted);
  const link = await linkTo(wanted);
  await server.pool.query(
    "UPDATE mail_links SET expires_at = expires_at - interval '24 hours' WHERE email = $1",
    [wanted],
  );
  expect((await get(server, link, person.cookie)).status).toBe(410);
  expect((await postForm(server, link, {}, person.cookie)).status).toBe(410);
  expect((await rowOf(person)).email).toBe(person.email);
});
