import { openTestMailbox } from "@ownwords/sandbox/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { connectWithSurprise, openDatabase } from "../../test/database.ts";
import { startSmtpServer } from "../../test/smtp.ts";
import type { Database } from "../db/client.server.ts";
import { createLog } from "../log/log.server.ts";
import { handleJob } from "../outbox/outbox.server.ts";
import { createWorker } from "../outbox/worker.server.ts";
import { deliverMail } from "./deliver.server.ts";
import { enqueueMail, SEND_MAIL } from "./enqueue-mail.server.ts";
import { forgetRecipients } from "./forget.server.ts";
import { connectMail } from "./mail.server.ts";
import { MESSAGE, SITE } from "./message.fixture.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let mailbox: Awaited<ReturnType<typeof openTestMailbox>>;
let logged: string[];
const cleanup: (() => unknown)[] = [];

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(async () => {
  mailbox = await openTestMailbox(database.pool);
  await database.pool.query("TRUNCATE outbox, mails, sandbox_mail.messages RESTART IDENTITY");
  logged = [];
});

afterEach(async () => {
  for (const close of cleanup.splice(0)) await close();
  await mailbox.close();
});

afterAll(() => database.close());

function workerSendingTo(url: string, db: Database = database.db) {
  const sender = { name: SITE.product, publicOrigin: SITE.origin };
  const mailer = connectMail({ mode: "smtp", url, from: "support@own.example" }, sender, null);
  if (!mailer.isOn) throw new Error(mailer.reason);
  cleanup.push(mailer.close);
  const log = createLog("debug", { write: (line) => void logged.push(line) });
  return createWorker({ db, log }, [
    handleJob(SEND_MAIL, (mail, job) => deliverMail({ db, mailer, log }, SITE, mail, job)),
  ]);
}

async function jobs() {
  const { rows } = await database.pool.query(
    "SELECT attempts, done_at IS NOT NULL AS done, last_error, payload FROM outbox ORDER BY id",
  );
  return rows;
}

/** As if its time had come. */
const hurry = () => database.pool.query("UPDATE outbox SET run_at = now()");

/** What the operator's list of mails shows. */
async function listed() {
  const { rows } = await database.pool.query(
    `SELECT mails.id = outbox.id AS has_job, recipient, subject, sent_at IS NOT NULL AS sent,
       given_up_at IS NOT NULL AS given_up, failure
     FROM mails LEFT JOIN outbox USING (id) ORDER BY mails.id`,
  );
  return rows;
}

const WAITING = {
  has_job: true,
  recipient: "ada@example.com",
  subject: MESSAGE.subject,
  sent: false,
  given_up: false,
  failure: null,
};

test("a mail is queued and listed exactly when its reason is written, without its text", async () => {
  await database.db
    .transaction(async (tx) => {
      await enqueueMail(tx, SITE, MESSAGE);
      throw new Error("changed my mind");
    })
    .catch(() => {});
  expect([await jobs(), await listed()]).toEqual([[], []]);
  await enqueueMail(database.db, SITE, { ...MESSAGE, to: "Ada@Example.com" });
  expect(await listed()).toEqual([WAITING]);
  await workerSendingTo(mailbox.smtpUrl).drain();
  expect(await listed()).toEqual([{ ...WAITING, sent: true }]);
  const { rows } = await database.pool.query("SELECT mails::text AS all FROM mails");
  expect(rows[0].all).not.toContain("token");
});

test("a mail arrives once, with both parts, and of the job only that it was done is kept", async () => {
  await enqueueMail(database.db, SITE, { ...MESSAGE, replyTo: "grace@example.com" });
  const workers = [workerSendingTo(mailbox.smtpUrl), workerSendingTo(mailbox.smtpUrl)];
  await Promise.all(workers.map((worker) => worker.drain()));

  const mails = await mailbox.mails();
  expect(mails).toMatchObject([
    {
      to: "ada@example.com",
      from: "Own Words <support@own.example>",
      replyTo: "grace@example.com",
      subject: MESSAGE.subject,
      text: expect.stringContaining("\nhttps://own.example/waitlist/confirm?token=abc\n"),
      html: expect.stringContaining('href="https://own.example/waitlist/confirm?token=abc"'),
      messageId: "<mail-1@own.example>",
      headers: { "list-unsubscribe": "<https://own.example/waitlist/leave?token=abc>" },
    },
  ]);
  expect(await jobs()).toEqual([{ attempts: 1, done: true, last_error: null, payload: {} }]);
  expect(logged).toEqual([]);
});

test("sent, but not marked: it is sent again as the same mail, and shown once", async () => {
  await enqueueMail(database.db, SITE, MESSAGE);
  const cut = connectWithSurprise(database.url, /^update "outbox" set .*"done_at" =/, () =>
    Promise.reject(new Error("the connection was lost")),
  );
  cleanup.push(() => cut.pool.end());

  await workerSendingTo(mailbox.smtpUrl, cut.db).drain();
  expect(await jobs()).toMatchObject([{ attempts: 1, done: false, last_error: expect.any(String) }]);
  const [first] = await mailbox.mails();
  const sentAt = async () => (await database.pool.query("SELECT sent_at FROM mails")).rows[0].sent_at;
  const listedAt = await sentAt();
  expect(listedAt).not.toBeNull();
  await hurry();
  await workerSendingTo(mailbox.smtpUrl).drain();
  expect(await jobs()).toMatchObject([{ attempts: 2, done: true }]);
  expect([await mailbox.mails(), await sentAt()]).toEqual([[first], listedAt]);
  expect(mailbox.logged.at(-1)).toContain("came again");
});

test("sent, but not listed: it is sent again as the same mail, also after five days, and never given up", async () => {
  await enqueueMail(database.db, SITE, MESSAGE);
  await database.pool.query("UPDATE outbox SET created_at = now() - interval '6 days'");
  const cut = connectWithSurprise(database.url, /^update "mails"/, () =>
    Promise.reject(new Error("the connection was lost")),
  );
  cleanup.push(() => cut.pool.end());
  await workerSendingTo(mailbox.smtpUrl, cut.db).drain();
  expect(await listed()).toEqual([WAITING]);
  await hurry();
  await workerSendingTo(mailbox.smtpUrl).drain();
  expect(await listed()).toEqual([{ ...WAITING, sent: true }]);
  expect(await mailbox.mails()).toHaveLength(1);
});

test("while mail is off it waits for five days, and no longer", async () => {
  await enqueueMail(database.db, SITE, MESSAGE);
  const log = createLog("debug", { write: (line) => void logged.push(line) });
  const app = { db: database.db, mailer: { isOn: false, reason: "SMTP_URL is not set" } as const, log };
  const worker = createWorker(app, [handleJob(SEND_MAIL, (mail, job) => deliverMail(app, SITE, mail, job))]);
  await worker.drain();
  expect(await listed()).toEqual([WAITING]);
  await database.pool.query("UPDATE outbox SET created_at = now() - interval '6 days', run_at = now()");
  await worker.drain();
  expect(await listed()).toEqual([{ ...WAITING, given_up: true, failure: "mail was off for 5 days" }]);
  expect(await jobs()).toMatchObject([{ done: true, payload: {} }]);
});

test("while the mail server is away the job says why, and the mail arrives when it is back", async () => {
  const away = await startSmtpServer({});
  await away.close();
  await enqueueMail(database.db, SITE, MESSAGE);

  const worker = workerSendingTo(away.url);
  await worker.drain();
  expect(await jobs()).toMatchObject([
    {
      attempts: 1,
      done: false,
      last_error: "MailError: the mail server did not take it: ESOCKET ECONNREFUSED CONN",
      payload: { to: "ada@example.com" },
    },
  ]);
  expect(logged).toHaveLength(1);
  expect(logged.join()).toContain("ECONNREFUSED");
  expect(logged.join()).not.toMatch(/ada@|token/);

  let taken = "";
  const { port } = new URL(away.url);
  const back = await startSmtpServer(
    {
      onRcptTo({ address }, _session, done) {
        taken = address;
        done();
      },
    },
    Number(port),
  );
  cleanup.push(back.close);
  await hurry();
  await worker.drain();
  expect(taken).toBe("ada@example.com");
  expect(await jobs()).toEqual([{ attempts: 2, done: true, last_error: null, payload: {} }]);
});

test("what no server has taken for five days is given up, and nothing of it is kept", async () => {
  const away = await startSmtpServer({});
  await away.close();
  await enqueueMail(database.db, SITE, MESSAGE);
  const worker = workerSendingTo(away.url);
  await database.pool.query("UPDATE outbox SET created_at = now() - interval '4 days 23 hours'");
  await worker.drain();
  expect(await jobs()).toMatchObject([{ done: false }]);
  expect(await listed()).toEqual([WAITING]);

  await database.pool.query(
    "UPDATE outbox SET created_at = now() - interval '5 days 1 minute', run_at = now()",
  );
  await worker.drain();
  expect(await jobs()).toEqual([{ attempts: 2, done: true, last_error: null, payload: {} }]);
  expect(logged.at(-1)).toContain("a mail was given up: no server took it for 5 days");
  expect(await listed()).toEqual([{ ...WAITING, given_up: true, failure: "no server took it for 5 days" }]);
});

test("a mail to an address that does not exist is given up at once, and says why", async () => {
  const refusing = await startSmtpServer({
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error("5.1.1 nobody"), { responseCode: 550 })),
  });
  cleanup.push(refusing.close);
  await enqueueMail(database.db, SITE, MESSAGE);
  await workerSendingTo(refusing.url).drain();
  expect(await listed()).toEqual([{ ...WAITING, given_up: true, failure: "the address does not exist" }]);
});

test("recipients who have left are not listed, and what still waits for them is sent all the same", async () => {
  await enqueueMail(database.db, SITE, MESSAGE);
  await enqueueMail(database.db, SITE, { ...MESSAGE, to: "grace@example.com" });
  await forgetRecipients(database.db, ["ada@example.com"]);
  await enqueueMail(database.db, SITE, MESSAGE, { isListed: false });
  expect(await listed()).toEqual([{ ...WAITING, recipient: "grace@example.com" }]);
  await workerSendingTo(mailbox.smtpUrl).drain();
  expect(await jobs()).toMatchObject(Array.from({ length: 3 }, () => ({ done: true, last_error: null })));
});
