import { expect, test } from "vitest";
import { mainOf, postForm } from "../../test/http.ts";
import { mailTo } from "../../test/mail.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createPerson, get, isSignedIn, signInAgain } from "../../test/users.ts";
import { deletionsOn } from "./deletions.fixture.ts";

const server = sharedServer();

const { remove, exists, payFor, traces } = deletionsOn(server);

test("asks again: without the account's own address nothing is deleted", async () => {
  const person = await createPerson(server.pool);
  for (const typed of ["", "ada@example.com", "x".repeat(5000)]) {
    const refused = await remove(person, "", typed);
    expect(refused.status).toBe(400);
    expect(await mainOf(refused)).toContain("Nothing was deleted");
  }
  expect((await postForm(server, "/account/delete", {}, person.cookie)).status).toBe(400);
  expect(await exists(person)).toBe(true);
});

test("everything goes, everywhere signed out; a code that was used stays used, without the person", async () => {
  const person = await createPerson(server.pool);
  const elsewhere = await signInAgain(server, person.email);
  await postForm(server, "/test-promo", { form: "promo", code: "WELCOME" }, person.cookie);
  const uses = async () =>
    (await server.pool.query("SELECT used_count FROM promo_codes WHERE code = 'WELCOME'")).rows[0].used_count;
  const before = await uses();
  const withoutPerson = async () =>
    (await server.pool.query("SELECT FROM grants WHERE promo_code = 'WELCOME' AND user_id IS NULL"))
      .rowCount ?? 0;
  const withoutBefore = await withoutPerson();

  const answer = await remove(person, "", `  ${person.email.toUpperCase()} `);
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account/deleted"]);
  expect(answer.headers.getSetCookie().join()).toMatch(/session=;.*Max-Age=0/);
  expect(await exists(person)).toBe(false);
  expect(await traces(person.id)).toBe(0);
  for (const cookie of [person.cookie, elsewhere]) expect(await isSignedIn(server, cookie)).toBe(false);
  expect(
    (await postForm(server, "/login", { email: person.email, password: "correct horse battery" })).status,
  ).toBe(400);
  expect(await uses()).toBe(before);
  expect(await withoutPerson()).toBe(withoutBefore + 1);
  expect((await mailTo(server, person.email, /^Your account is deleted$/)).text).not.toContain("payment");
  expect(await mainOf(await get(server, "/account/deleted"))).toContain("Your account is deleted");
});

test("pressed once more in the session that is gone, it says what is known; signed in there is nothing to say", async () => {
  const person = await createPerson(server.pool);
  expect((await get(server, "/account/deleted", person.cookie)).headers.get("location")).toBe("/account");
  await remove(person);
  const again = await remove(person);
  expect([again.status, again.headers.get("location")]).toEqual([303, "/account/deleted?unsure=1"]);
  const page = await mainOf(await get(server, "/account/deleted?unsure=1", person.cookie));
  expect(page).toContain("If you deleted your account, it’s gone");
  expect(page).not.toContain("Your account is deleted");
});

test("cut off before the rows were deleted, it may be pressed again", async () => {
  const person = await createPerson(server.pool);
  const subscription = await payFor(person);
  await server.pool.query(
    `CREATE FUNCTION refuse_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'cut off'; END $$`,
  );
  await server.pool.query(
    `CREATE TRIGGER refuse BEFORE DELETE ON "user" FOR EACH ROW EXECUTE FUNCTION refuse_delete()`,
  );
  const { status } = await remove(person, subscription);
  await server.pool.query("DROP FUNCTION refuse_delete CASCADE");
  expect(status).toBe(500);
  expect(await exists(person)).toBe(true);
  expect(await isSignedIn(server, person.cookie)).toBe(true);
  expect((await remove(person, subscription)).status).toBe(303);
  expect(await exists(person)).toBe(false);
});

test("pressed five times at once, it is deleted once", async () => {
  const person = await createPerson(server.pool);
  const subscription = await payFor(person);
  const jobs = async () =>
    (await server.pool.query("SELECT FROM outbox WHERE kind = 'delete_customer'")).rowCount ?? 0;
  const before = await jobs();
  const answers = await Promise.all(Array.from({ length: 5 }, () => remove(person, subscription)));
  for (const { status } of answers) expect([302, 303]).toContain(status);
  expect(await exists(person)).toBe(false);
  expect(await jobs()).toBe(before + 1);
});
