import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { setupLife, subscribe } from "../../billing/sync/life.fixture.ts";
import { answerOnce, reopen } from "../../contact/answer.server.ts";
import { findMail } from "../../mail/mails.server.ts";
import { resendMail } from "./resend-mail.server.ts";

const life = setupLife();
const OPERATOR = { id: "operator", name: "operator@example.com" };

/** The mails to an address, oldest first. */
async function mailsTo(email: string): Promise<{ id: string; subject: string; text: string }[]> {
  const { rows } = await life.database.pool.query(
    "SELECT id::text, payload ->> 'subject' AS subject, payload ->> 'text' AS text FROM outbox WHERE payload ->> 'to' = $1 ORDER BY id",
    [email],
  );
  return rows.map((row) => ({ ...row, text: row.text.replaceAll(/\s+/g, " ") }));
}

const invoiceIn = (mail?: { text: string }) => /\(invoice (\S+)\)/.exec(mail?.text ?? "")?.[1] ?? "none";

async function resend(id: string | undefined) {
  const mail = await findMail(life.database.db, id ?? "");
  if (!mail) throw new Error(`no mail ${id}`);
  return resendMail(life.appWith(), OPERATOR, mail);
}

async function write(email: string, message: string): Promise<string> {
  const id = randomUUID();
  await life.database.pool.query(
    `INSERT INTO contact_messages (id, name, email, topic, message, content_hash)
     VALUES ($1, 'Ada', $2, 'payment', $3, $1)`,
    [id, email, message],
  );
  return id;
}

const answer = (id: string, text: string, isQuoted = false) =>
  answerOnce(life.database.db, life.appWith().config.site, OPERATOR, id, text, isQuoted);

test("of monthly receipts that are called the same, the one is sent again that was asked for", async () => {
  const person = await subscribe(life);
  await person.pass(32);
  const email = `${person.userId}@example.com`;
  const receipts = await mailsTo(email);
  expect(receipts.map(({ subject }) => subject)).toEqual([
    "Receipt: $4.99 for CSV + Banking",
    "Receipt: $4.99 for CSV + Banking",
  ]);
  const [first, second] = receipts.map(invoiceIn);
  expect(first).not.toBe(second);
  const newest = async () => (await mailsTo(email)).at(-1);
  for (const receipt of receipts) {
    expect(await resend(receipt.id)).toBe("sent");
    expect(invoiceIn(await newest())).toBe(invoiceIn(receipt));
  }
  // What was sent again can be once more.
  expect(await resend((await newest())?.id)).toBe("sent");
  expect(invoiceIn(await newest())).toBe(second);
});

test("of two answers the one is sent again that was asked for, with what it quoted", async () => {
  const email = `${randomUUID()}@example.com`;
  await answer(await write(email, "Where is my receipt?"), "On your dashboard.", true);
  await answer(await write(email, "Charts?"), "Soon.");
  const answers = await mailsTo(email);
  for (const each of answers) {
    expect(await resend(each.id)).toBe("sent");
    expect((await mailsTo(email)).at(-1)?.text).toBe(each.text);
  }
});

test("an answer that another has replaced is not sent again", async () => {
  const email = `${randomUUID()}@example.com`;
  const id = await write(email, "Charts?");
  await answer(id, "Soon.");
  await reopen(life.database.db, OPERATOR, id);
  await answer(id, "They are here.");
  const [first, second] = await mailsTo(email);
  expect(await resend(first?.id)).toBe("not_kept");
  expect(await resend(second?.id)).toBe("sent");
  expect((await mailsTo(email)).at(-1)?.text).toContain("They are here.");
});
