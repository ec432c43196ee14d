import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createReferralCode } from "../../app/waitlist/join.server.ts";
import { placeToken } from "../../app/waitlist/place-token.server.ts";
import { postForm } from "../http.ts";
import { countMails } from "../mail.ts";
import { sharedServer } from "../server.fixture.ts";
import { AUTH_SECRET } from "../server.ts";

const AT_ONCE = 50;

const server = sharedServer();

const times = <T>(run: () => Promise<T>) => Promise.all(Array.from({ length: AT_ONCE }, run));

test(`one place confirmed ${AT_ONCE} times at once: one ticket, one welcome`, async () => {
  const { token } = await addWaiting("confirm@example.com");
  const drawnBefore = await ticketsDrawn();
  let answers: Response[] = [];

  const welcomes = await countMails(server, async () => {
    answers = await times(() => postForm(server, `/waitlist/confirm?token=${token}`, {}));
  });

  expect(new Set(answers.map((answer) => `${answer.status} ${answer.headers.get("location")}`))).toEqual(
    new Set([`303 /waitlist/place?token=${token}`]),
  );
  expect(welcomes).toBe(1);
  expect((await ticketsDrawn()) - drawnBefore).toBe(1);
});

test(`one address entered ${AT_ONCE} times at once: one row, four mails, one answer`, async () => {
  const email = "join@example.com";
  let answers: Response[] = [];

  const mails = await countMails(server, async () => {
    answers = await times(() => postForm(server, "/waitlist", { email }));
  });

  const pages = await Promise.all(answers.map(async (answer) => `${answer.status} ${await answer.text()}`));
  expect(new Set(pages).size).toBe(1);
  const { rows } = await server.pool.query("SELECT sends FROM waitlist WHERE email = $1", [email]);
  expect(rows).toEqual([{ sends: 4 }]);
  expect(mails).toBe(4);
});

test("the same tests catch reading first and writing then", async () => {
  const waiting = await addWaiting("naive-confirm@example.com");
  const joining = await addWaiting("naive-join@example.com");

  const welcomes = await countMails(server, () => times(() => confirmNaively(waiting.id)));
  const mails = await countMails(server, () => times(() => joinNaively(joining.email)));

  console.log(`naive read-then-write: ${welcomes} welcomes, ${mails} of 4 mails`);
  expect(welcomes).toBeGreaterThan(1);
  expect(mails).toBeGreaterThan(4);
});

/** The naive version: look whether it is confirmed, confirm it, welcome it. */
async function confirmNaively(id: string): Promise<void> {
  const { rows } = await server.pool.query("SELECT email, confirmed_at FROM waitlist WHERE id = $1", [id]);
  if (rows[0].confirmed_at) return;
  await server.pool.query(
    "UPDATE waitlist SET confirmed_at = now(), ticket = nextval('waitlist_ticket') WHERE id = $1",
    [id],
  );
  await writeMail(rows[0].email);
}

/** And: look whether the day's mails are spent, count one, write it. */
async function joinNaively(email: string): Promise<void> {
  const { rows } = await server.pool.query("SELECT sends FROM waitlist WHERE email = $1", [email]);
  if (rows[0].sends >= 4) return;
  await server.pool.query("UPDATE waitlist SET sends = $2 WHERE email = $1", [email, rows[0].sends + 1]);
  await writeMail(email);
}

async function writeMail(to: string): Promise<void> {
  const mail = { to, subject: "Hello", text: "Hello", html: "Hello" };
  await server.pool.query("INSERT INTO outbox (kind, payload) VALUES ('send_mail', $1)", [mail]);
}

async function addWaiting(email: string): Promise<{ id: string; email: string; token: string }> {
  const id = randomUUID();
  await server.pool.query(
    `INSERT INTO waitlist (id, email, referral_code, confirm_by) VALUES ($1, $2, $3, now() + interval '7 days')`,
    [id, email, createReferralCode()],
  );
  return { id, email, token: placeToken(id, { authSecret: AUTH_SECRET }) };
}

async function ticketsDrawn(): Promise<number> {
  const { rows } = await server.pool.query(
    "SELECT CASE WHEN is_called THEN last_value ELSE 0 END::int AS drawn FROM waitlist_ticket",
  );
  return rows[0].drawn;
}
