import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { postForm } from "../../../test/http.ts";
import { mailTo } from "../../../test/mail.ts";
import { createOperator, OPERATOR_EMAIL } from "../../../test/operator.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../../test/server.ts";
import { createPerson, get, type Person } from "../../../test/users.ts";
import { readConfig } from "../../config/config.server.ts";
import { signTime } from "../../contact/fill-time.server.ts";

const server = sharedServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
});

/** A message from the form, as it is stored. @returns its id */
async function write(email: string, message = "Where is my receipt?"): Promise<string> {
  const id = randomUUID();
  await server.pool.query(
    `INSERT INTO contact_messages (id, name, email, topic, message, content_hash)
     VALUES ($1, 'Ada <b>', $2, 'payment', $3, $1)`,
    [id, email, message],
  );
  return id;
}

const page = async (path: string) => (await get(server, path, operator.cookie)).text();
const press = (id: string, fields: Record<string, string>) =>
  postForm(server, `/admin/messages/${id}`, fields, operator.cookie);

async function rows(id: string) {
  const { rows } = await server.pool.query(
    `SELECT answered_by, answer, (SELECT array_agg(action || ' ' || coalesce(after::text, '') ORDER BY id) FROM audit_log
       WHERE subject = 'contact_message:' || contact_messages.id) AS log
     FROM contact_messages WHERE id = $1`,
    [id],
  );
  return rows[0];
}

const mailsTo = async (email: string) =>
  (await server.pool.query("SELECT FROM mails WHERE recipient = $1", [email])).rowCount;

test("a message is found, read and answered by mail, and the list says by whom", async () => {
  const email = `${randomUUID()}@example.com`;
  const id = await write(email);
  expect(await page("/admin/messages")).toMatch(
    new RegExp(`Waiting for an answer.*/admin/messages/${id}`, "s"),
  );
  const open = await page(`/admin/messages/${id}`);
  expect(open).toContain("Message from \u2068Ada &lt;b&gt;\u2069");
  expect(open).toContain("Where is my receipt?");
  expect(open).toContain("Anyone can type any address into the contact form.");
  expect(open).not.toContain('name="quote" checked=""');

  const answer = await press(id, { answer: "  It is on your dashboard.\r\n\r\nBest wishes  " });
  expect([answer.status, answer.headers.get("location")]).toEqual([
    303,
    `/admin/messages/${id}?said=answered`,
  ]);
  const mail = await mailTo(server, email, /^Your message to/);
  expect(mail.text).toContain("It is on your dashboard.\n\nBest wishes");
  expect(mail.text).not.toContain("Where is my receipt?");
  expect(mail).toMatchObject({ replyTo: readConfig({ DATA_DIR: "unused" }).site.supportEmail });
  expect(await rows(id)).toEqual({
    answered_by: OPERATOR_EMAIL,
    answer: "It is on your dashboard.\n\nBest wishes",
    log: ['contact_message.answered {"answered": true}'],
  });
  expect(await page(`/admin/messages/${id}?said=answered`)).toContain("Your answer is on its way by email.");
  expect(await page(`/admin/messages?state=answered&email=${email.toUpperCase()}`)).toContain(id);
  expect(await page("/admin/messages?state=waiting")).not.toContain(id);
});

test("what they wrote is quoted by default where the address is confirmed", async () => {
  const person = await createPerson(server.pool);
  const id = await write(person.email);
  expect(await page(`/admin/people/${person.id}`)).toContain("1 unanswered message");
  expect(await page(`/admin/messages/${id}`)).not.toContain('name="quote" checked=""');
  await server.pool.query(`UPDATE "user" SET email_verified = true WHERE id = $1`, [person.id]);
  expect(await page(`/admin/messages/${id}`)).toContain('name="quote" checked=""');
});

test("of ten answers at once one is sent, and the others keep what was typed and say who was first", async () => {
  const email = `${randomUUID()}@example.com`;
  const id = await write(email);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => press(id, { answer: `Answer number ${index}` })),
  );
  const refused = answers.filter(({ status }) => status !== 303);
  expect(refused.map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 409));
  for (const again of refused) {
    const text = await again.text();
    expect(text).toMatch(/Answer number \d<\/textarea>/);
    expect(text).toMatch(new RegExp(`${OPERATOR_EMAIL} answered it on \\w.* UTC. Nothing more was sent.`));
  }
  expect(await mailsTo(email)).toBe(1);
  expect((await rows(id)).log).toHaveLength(1);
});

test("it is marked without a mail, waits again, and is deleted for good; each is in the log", async () => {
  const email = `${randomUUID()}@example.com`;
  const id = await write(email);
  for (const _ of [1, 2]) await press(id, { do: "mark" });
  expect((await rows(id)).answered_by).toBe(OPERATOR_EMAIL);
  for (const _ of [1, 2]) await press(id, { do: "reopen" });
  expect((await rows(id)).log).toEqual([
    'contact_message.marked_answered {"answered": true}',
    'contact_message.reopened {"answered": false}',
  ]);
  await press(id, { do: "delete" });
  expect(await rows(id)).toBeUndefined();
  const gone = await press(id, { answer: "Too late" });
  expect([gone.status, await gone.text()]).toEqual([
    409,
    expect.stringContaining("It may have been deleted"),
  ]);
  expect(await mailsTo(email)).toBe(0);
});

test.each([
  { answer: "" },
  { answer: "  \r\n " },
  { answer: "a".repeat(10_001) },
  { answer: "a\u0007b" },
  {},
])("%o is no answer", async (fields) => {
  const email = `${randomUUID()}@example.com`;
  const id = await write(email);
  const refused = await press(id, fields as Record<string, string>);
  expect(refused.status).toBe(400);
  expect((await rows(id)).answered_by).toBeNull();
  expect(await mailsTo(email)).toBe(0);
});

test("the same message sent again after it was answered waits again", async () => {
  const email = `${randomUUID()}@example.com`;
  const fields = { name: "Grace", email, topic: "idea", message: "Charts?" };
  const send = () =>
    postForm(server, "/contact", { ...fields, opened_at: signTime(Date.now() - 60_000, AUTH_SECRET) });
  await send();
  const stored = async () =>
    (await server.pool.query("SELECT * FROM contact_messages WHERE email = $1", [email])).rows[0];
  const { id } = await stored();
  await press(id, { answer: "Soon." });
  await server.pool.query(
    "UPDATE contact_messages SET created_at = now() - interval '11 minutes' WHERE id = $1",
    [id],
  );
  await send();
  expect(await stored()).toMatchObject({ answered_at: null, answered_by: null, answer: "Soon." });
});
