import { randomUUID } from "node:crypto";
import { domainToUnicode } from "node:url";
import { expect, test } from "vitest";
import { beginAt, chooseAt, openBrowser } from "../../test/browser.ts";
import { cookieOf, mainOf, postForm } from "../../test/http.ts";
import { mailTo } from "../../test/mail.ts";
import { createOperator } from "../../test/operator.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { get, isSignedIn } from "../../test/users.ts";
import { signTime } from "../contact/fill-time.server.ts";

const server = sharedServer();

/** Typed, and as it is stored; `*` is different for each. */
const ADDRESSES = [
  ["*@xn--e1afmkfd.xn--p1ai", "*@xn--e1afmkfd.xn--p1ai"],
  ["*@пример.рф", "*@xn--e1afmkfd.xn--p1ai"],
  ["*r&d@example.com", "*r&d@example.com"],
  ["sales/eu*@example.com", "sales/eu*@example.com"],
  ["*=b@example.com", "*=b@example.com"],
  ["*wow!@example.com", "*wow!@example.com"],
  ["\u202a*\u200b@\u2060example.com\u202c", "*@example.com"],
  ["*＠ＥＸＡＭＰＬＥ．com", "*@example.com"],
] as const;

const fill = (pattern: string, id: string) => pattern.replace("*", id);
/** The sandbox's mailbox shows domains in their own letters. */
const inLetters = (address: string) => address.replace(/[^@]*$/, (domain) => domainToUnicode(domain));
const uuid = () => randomUUID().slice(0, 13);

test.each(ADDRESSES)("%s signs up, gets its mail, and signs in", async (typed, kept) => {
  const id = uuid();
  const fields = { name: "Ada", email: fill(typed, id), password: "a long enough one, for them" };
  expect((await postForm(server, "/register", fields)).status).toBe(303);
  const { rows } = await server.pool.query(`SELECT FROM "user" WHERE email = $1`, [fill(kept, id)]);
  expect(rows).toHaveLength(1);
  await mailTo(server, inLetters(fill(kept, id)), /Confirm/);
  const again = await postForm(server, "/login", fields);
  expect([again.status, await isSignedIn(server, cookieOf(again))]).toEqual([303, true]);
});

test.each(ADDRESSES)(
  "%s joins the waitlist, writes to us, and comes from a provider",
  async (typed, kept) => {
    const one = uuid();
    await postForm(server, "/waitlist", { email: fill(typed, one) });
    await mailTo(server, inLetters(fill(kept, one)), /./);
    const message = { name: "Ada", email: fill(typed, one), topic: "idea", message: `Hello ${one}` };
    const opened_at = signTime(Date.now() - 60_000, AUTH_SECRET);
    expect((await postForm(server, "/contact", { ...message, opened_at })).status).toBe(303);
    const { rows } = await server.pool.query("SELECT email FROM contact_messages WHERE message = $1", [
      message.message,
    ]);
    expect(rows[0].email.toLowerCase()).toBe(fill(kept, one));

    const browser = openBrowser(server);
    const callback = await chooseAt(browser, await beginAt(browser, "facebook"), {
      email: fill(typed, uuid()),
    });
    await browser.get(callback);
    expect(browser.cookies.has("session")).toBe(true);
  },
);

test("a letter before the @ that most mail servers refuse is said so", async () => {
  const answer = await postForm(server, "/waitlist", { email: "jörg@example.com" });
  expect(answer.status).toBe(400);
  expect(await mainOf(answer)).toContain("only letters from a to z before the @");
});

test.each(["\u3164", "\u2800", "\u115f\u1160", "\uffa0", "\u202e\u200b", "\u{1d159}", "\ufe0f", "\u00ad"])(
  "a name of %j has nothing to be seen",
  async (name) => {
    const fields = { name, email: `${uuid()}@example.com`, password: "a long enough one, for them" };
    const answer = await postForm(server, "/register", fields);
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining("Enter a name with at least one visible character"),
    ]);
  },
);

test.each([
  ["gnp.exe\u202etxt", "gnp.exetxt"],
  ["\u2067\u202bאדה\u202c\u2069", "אדה"],
  ["می\u200cخواهم", "می\u200cخواهم"],
  ["👩\u200d👩\u200d👧 Family ❤️", "👩\u200d👩\u200d👧 Family ❤️"],
])("%j is called %j, and stands for itself in the console and in mails", async (typed, name) => {
  const id = uuid();
  const fields = { name: typed, email: `${id}@example.com`, password: "a long enough one, for them" };
  const cookie = cookieOf(await postForm(server, "/register", fields));
  expect(await (await get(server, "/account", cookie)).text()).toContain(`<bdi>${name}</bdi>`);
  const opened_at = signTime(Date.now() - 60_000, AUTH_SECRET);
  await postForm(server, "/contact", {
    name: typed,
    email: fields.email,
    topic: "idea",
    message: id,
    opened_at,
  });
  const mail = await mailTo(server, "support@ownwords.example", new RegExp(name));
  expect(mail.subject).toBe(`Idea or bug: \u2068${name}\u2069`);
  expect(mail.text).toContain(`\u2068${name}\u2069 <${id}@example.com> wrote:`);

  const { cookie: own } = await createOperator(server.pool);
  const search = new URLSearchParams({ email: id });
  expect(await (await get(server, `/admin/people?${search}`, own)).text()).toContain(`<bdi>${name}</bdi>`);
  expect(await (await get(server, "/admin/messages", own)).text()).toContain(`<bdi>${name}</bdi>`);
});
