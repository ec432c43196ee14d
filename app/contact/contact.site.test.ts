import { beforeEach, expect, test } from "vitest";
import { mainOf, postForm } from "../../test/http.ts";
import { countMails, mailTo } from "../../test/mail.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { signTime } from "./fill-time.server.ts";

const SUPPORT = "support@ownwords.example";

const server = sharedServer();

beforeEach(async () => {
  await server.pool.query("DELETE FROM contact_messages");
});

const minutesAgo = (minutes: number) => signTime(Date.now() - minutes * 60_000, AUTH_SECRET);

function write(changed: Record<string, string> = {}): Promise<Response> {
  return postForm(server, "/contact", {
    name: "Ada Lovelace",
    email: "Ada@example.com",
    topic: "idea",
    message: "First line\r\n\r\n<b>Last</b> line",
    opened_at: minutesAgo(1),
    ...changed,
  });
}

async function stored() {
  const { rows } = await server.pool.query("SELECT * FROM contact_messages ORDER BY created_at");
  return rows;
}

test("a message is kept, mailed to support, and acknowledged without naming anybody", async () => {
  const response = await write();
  expect([response.status, response.headers.get("location")]).toEqual([303, "/contact/sent"]);
  expect(await stored()).toMatchObject([
    {
      name: "Ada Lovelace",
      email: "Ada@example.com",
      topic: "idea",
      message: "First line\n\n<b>Last</b> line",
    },
  ]);
  const mail = await mailTo(server, SUPPORT, /^Idea or bug: \u2068Ada Lovelace\u2069$/);
  expect(mail.text).toContain("\u2068First line\u2069\n\n\u2068<b>Last</b> line\u2069");
  expect(mail.html).toContain("&lt;b&gt;Last&lt;/b&gt; line");
  expect(await mainOf(await fetch(`${server.origin}/contact/sent`))).toContain("Message sent");
});

test("pressed ten times at once it is one message; other words are another; the same later are sent again", async () => {
  const openedAt = minutesAgo(1);
  const locations = new Set<string | null>();
  const press = async () => locations.add((await write({ opened_at: openedAt })).headers.get("location"));
  expect(await countMails(server, () => Promise.all(Array.from({ length: 10 }, press)))).toBe(1);
  expect([...locations]).toEqual(["/contact/sent"]);
  expect(await stored()).toHaveLength(1);
  expect(await countMails(server, () => write({ message: "Other words" }))).toBe(1);

  await server.pool.query("UPDATE contact_messages SET created_at = created_at - interval '11 minutes'");
  expect(await countMails(server, write)).toBe(1);
  expect(await stored()).toHaveLength(2);
});

test.each([
  ["nothing in the name", { name: "" }, "Enter your name"],
  ["NUL in the name", { name: "A\u0000" }, "Some characters here can’t be saved"],
  ["a header in the name", { name: "Ada\r\nBcc: x@example.com" }, "Some characters here can’t be saved"],
  ["no address", { email: "ada@" }, "Enter an email address like name@example.com"],
  ["two addresses", { email: "a@example.com, b@example.com" }, "Enter an email address like"],
  ["no topic", { topic: "" }, "Choose what this is about"],
  ["an unknown topic", { topic: "constructor" }, "Choose what this is about"],
  ["blanks for a message", { message: " \r\n " }, "Write your message"],
  ["NUL in the message", { message: "a\u0000b" }, "Some characters here can’t be saved"],
  ["a message too long", { message: "a".repeat(4001) }, "to 4,000 characters (it has 4,001)"],
  ["a very long one", { message: "a".repeat(60_000) }, "to 4,000 characters (it has 60,000)"],
] as [string, Record<string, string>, string][])(
  "%s: refused with a reason, the rest is kept",
  async (_what, wrong, reason) => {
    const response = await write(wrong);
    expect(response.status).toBe(400);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const text = await mainOf(response);
    expect(text).toContain(reason);
    expect(text).toContain("Your message has not been sent yet");
    if (!wrong.name) expect(text).toContain(wrong.name === "" ? 'name="name"' : 'value="Ada Lovelace"');
    if (!wrong.message) expect(text).toContain("&lt;b&gt;Last&lt;/b&gt; line</textarea>");
    if (wrong.message?.startsWith("aaa")) expect(text).toContain(`>${wrong.message}</textarea>`);
    expect(await stored()).toEqual([]);
  },
);

test("4000 characters are taken though the browser sends each line break as two", async () => {
  expect((await write({ message: `${"a\r\n".repeat(1999)}bb` })).status).toBe(303);
});

test("sent at once it waits, and is sent; pressed twice meanwhile it is one", async () => {
  const opened = Date.now();
  const openedAt = signTime(opened, AUTH_SECRET);
  const answers = await Promise.all([write({ opened_at: openedAt }), write({ opened_at: openedAt })]);
  expect(answers.map(({ headers }) => headers.get("location"))).toEqual(["/contact/sent", "/contact/sent"]);
  expect(Date.now() - Math.floor(opened / 1000) * 1000).toBeGreaterThanOrEqual(3000);
  expect(await stored()).toHaveLength(1);
});

test("a form serves once: other words sent with it are kept in a new one, with which they go", async () => {
  const openedAt = minutesAgo(1);
  expect((await write({ opened_at: openedAt })).headers.get("location")).toBe("/contact/sent");
  const robot = ["One", "Two", "Three"].map((message) => write({ message, opened_at: openedAt }));
  expect((await Promise.all(robot)).map(({ status }) => status)).toEqual([409, 409, 409]);

  const response = await write({ message: "Oh, and one more thing", opened_at: openedAt });
  expect(response.status).toBe(409);
  const text = await mainOf(response);
  expect(text).toContain("To send this one too, press Send again.");
  expect(text).toContain("Oh, and one more thing</textarea>");
  const fresh = /name="opened_at" value="([^"]+)"/.exec(text)?.[1] ?? "";
  const again = await write({ message: "Oh, and one more thing", opened_at: fresh });
  expect(again.headers.get("location")).toBe("/contact/sent");
  expect((await stored()).map(({ message }) => message)).toEqual([
    "First line\n\n<b>Last</b> line",
    "Oh, and one more thing",
  ]);
});

test("a form that could not be stored may be sent again; of many messages at once one takes it", async () => {
  const openedAt = minutesAgo(1);
  await server.pool.query("ALTER TABLE outbox RENAME TO away");
  expect((await write({ opened_at: openedAt })).status).toBe(503);
  await server.pool.query("ALTER TABLE away RENAME TO outbox");
  const messages = ["One", "Two", "Three", "Four"];
  const answers = await Promise.all(messages.map((message) => write({ message, opened_at: openedAt })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409, 409, 409]);
  expect(await stored()).toHaveLength(1);
});

test.each([
  ["missing", ""],
  ["made up", `1.${"A".repeat(22)}.${"A".repeat(43)}`],
  ["months old", minutesAgo(90 * 24 * 60)],
])("a time that is %s is replaced by a new one", async (_what, openedAt) => {
  const before = Math.floor(Date.now() / 1000);
  const response = await write({ opened_at: openedAt });
  expect(response.status).toBe(400);
  const text = await mainOf(response);
  expect(text).toContain("Check your message and press Send again.");
  const fresh = /name="opened_at" value="(\d+)\.[\w-]{22}\.[\w-]{43}"/.exec(text)?.[1];
  expect(Number(fresh)).toBeGreaterThanOrEqual(before);
  expect(await stored()).toEqual([]);
});

test("a tab that was left open for days loses nothing", async () => {
  expect((await write({ opened_at: minutesAgo(3 * 24 * 60) })).status).toBe(303);
});

test("the field for robots: nothing is kept, and a person gets it back empty, with all they wrote", async () => {
  const page = await mainOf(await fetch(`${server.origin}/contact`));
  const trap = /<div class="sr-only" aria-hidden="true"><label>Leave this empty<input[^>]*tabindex="-1"/;
  expect(page).toMatch(trap);
  const response = await write({ extra: "https://spam.example" });
  expect(response.status).toBe(400);
  const text = await mainOf(response);
  expect(text).toContain("filled in a field you can’t see. We’ve cleared it.");
  expect(text).toContain('Press Send again, or email <a href="mailto:support@ownwords.example">');
  expect(text).not.toContain("spam.example");
  expect(text).toMatch(trap);
  expect(text).toContain("&lt;b&gt;Last&lt;/b&gt; line</textarea>");
  expect(await stored()).toEqual([]);
});

test("a message that could not be saved is said to be so, and kept in its field; then it goes", async () => {
  await server.pool.query("ALTER TABLE outbox RENAME TO away");
  const response = await write();
  await server.pool.query("ALTER TABLE away RENAME TO outbox");
  expect(response.status).toBe(503);
  const text = await mainOf(response);
  expect(text).toContain("We couldn’t save your message");
  expect(text).toContain("&lt;b&gt;Last&lt;/b&gt; line</textarea>");
  expect(text).toMatch(/<option value="idea" selected="">/);
  expect(await stored()).toEqual([]);
  expect((await write()).status).toBe(303);
});

test("a link can say what it is about", async () => {
  const business = await mainOf(await fetch(`${server.origin}/contact?topic=business`));
  expect(business).toMatch(/<option value="business" selected="">Custom business solution/);
  const odd = await mainOf(await fetch(`${server.origin}/contact?topic=%00`));
  expect(odd).not.toContain("selected");
});
