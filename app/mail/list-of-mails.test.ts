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
const cleanup: (() => unknown)[] = [];

beforeAll(async () => {
  database = await openDatabase();
  mailbox = await openTestMailbox(database.pool);
});

beforeEach(() => database.pool.query("TRUNCATE outbox, mails RESTART IDENTITY"));

afterEach(async () => {
  for (const close of cleanup.splice(0)) await close();
});

afterAll(async () => {
  await mailbox.close();
  await database.close();
});

function workerSendingTo(url: string, db: Database = database.db) {
  const sender = { name: SITE.product, publicOrigin: SITE.origin };
  const mailer = connectMail({ mode: "smtp", url, from: "support@own.example" }, sender, null);
  if (mailer.isOn) cleanup.push(mailer.close);
  const log = createLog("silent");
  return createWorker({ db, log }, [
    handleJob(SEND_MAIL, (mail, job) => deliverMail({ db, mailer, log }, SITE, mail, job)),
  ]);
}

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

test("a mail is listed with its job or not at all, and nothing of its text is", async () => {
  await database.db
    .transaction(async (tx) => {
      await enqueueMail(tx, SITE, MESSAGE);
      throw new Error("changed my mind");
    })
    .catch(() => {});
  expect(await listed()).toEqual([]);
  await enqueueMail(database.db, SITE, { ...MESSAGE, to: "Ada@Example.com" });
  expect(await listed()).toEqual([WAITING]);
  await workerSendingTo(mailbox.smtpUrl).drain();
  expect(await listed()).toEqual([{ ...WAITING, sent: true }]);
  const { rows } = await database.pool.query("SELECT mails::text AS all FROM mails");
  expect(rows[0].all).not.toContain("token");
});

test("sent, but the job was not marked: the list says sent once, at the first time", async () => {
  await enqueueMail(database.db, SITE, MESSAGE);
  const cut = connectWithSurprise(database.url, /^update "outbox" set .*"done_at" =/, () =>
    Promise.reject(new Error("the connection was lost")),
  );
  cleanup.push(() => cut.pool.end());
  await workerSendingTo(mailbox.smtpUrl, cut.db).drain();
  const sentAt = async () => (await database.pool.query("SELECT sent_at FROM mails")).rows[0].sent_at;
  const first = await sentAt();
  expect(first).not.toBeNull();
  await database.pool.query("UPDATE outbox SET run_at = now()");
  await workerSendingTo(mailbox.smtpUrl).drain();
  expect(await sentAt()).toEqual(first);
});

test("one that is given up says why, and one that fails is still waiting", async () => {
  const refusing = await startSmtpServer({
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error("5.1.1 nobody"), { responseCode: 550 })),
  });
  cleanup.push(refusing.close);
  await enqueueMail(database.db, SITE, MESSAGE);
  await workerSendingTo(refusing.url).drain();
  expect(await listed()).toEqual([{ ...WAITING, given_up: true, failure: "nobody has its address" }]);

  const away = await startSmtpServer({});
  await away.close();
  await database.pool.query("TRUNCATE outbox, mails");
  await enqueueMail(database.db, SITE, MESSAGE);
  await workerSendingTo(away.url).drain();
  expect(await listed()).toEqual([WAITING]);
  await database.pool.query("UPDATE outbox SET created_at = now() - interval '6 days', run_at = now()");
  await workerSendingTo(away.url).drain();
  expect(await listed()).toEqual([{ ...WAITING, given_up: true, failure: "no server took it for 5 days" }]);
});

test("of somebody who has left nothing is listed, and what still waits for them is sent all the same", async () => {
  await enqueueMail(database.db, SITE, MESSAGE);
  await enqueueMail(database.db, SITE, { ...MESSAGE, to: "grace@example.com" });
  await forgetRecipients(database.db, ["ada@example.com"]);
  await enqueueMail(database.db, SITE, MESSAGE, { isListed: false });
  expect(await listed()).toEqual([{ ...WAITING, recipient: "grace@example.com" }]);
  await workerSendingTo(mailbox.smtpUrl).drain();
  const { rows } = await database.pool.query("SELECT done_at IS NOT NULL AS done, last_error FROM outbox");
  expect(rows).toEqual(Array.from({ length: 3 }, () => ({ done: true, last_error: null })));
});
