import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { createTransport } from "nodemailer";
import { Pool } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createDatabase } from "../testing/database.ts";
import { openTestMailbox } from "../testing/mailbox.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: Pool;
let mailbox: Awaited<ReturnType<typeof openTestMailbox>>;
let transport: ReturnType<typeof openTransport>;

beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url });
});

beforeEach(async () => {
  await pool.query("DROP SCHEMA IF EXISTS sandbox_mail CASCADE");
  mailbox = await openTestMailbox(pool);
  transport = openTransport();
});

afterEach(async () => {
  transport.close();
  await mailbox.close();
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

const openTransport = () => createTransport({ url: mailbox.smtpUrl, pool: true });

const MAIL = {
  from: { name: "Own Words", address: "support@own.example" },
  to: "ada@example.com",
  replyTo: "grace@example.com",
  subject: "Confirm your place",
  text: "Confirm: https://own.example/confirm",
  html: '<!doctype html><html lang="en"><head><title>x</title></head><body><a href="/c">Confirm</a></body></html>',
  messageId: "<mail-1@own.example>",
  headers: { "List-Unsubscribe": "<https://own.example/leave>" },
};

test("a mail is shown with everything that matters in it", async () => {
  await transport.sendMail(MAIL);
  expect(await mailbox.mails()).toEqual([
    {
      id: 1,
      to: "ada@example.com",
      from: "Own Words <support@own.example>",
      replyTo: "grace@example.com",
      subject: "Confirm your place",
      text: expect.stringMatching(/^Confirm: https:\/\/own\.example\/confirm\n?$/),
      html: expect.stringContaining('<a href="/c">Confirm</a>'),
      messageId: "<mail-1@own.example>",
      headers: expect.objectContaining({ "list-unsubscribe": "<https://own.example/leave>" }),
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    },
  ]);
  expect(mailbox.logged.join()).toBe("Mailbox: a mail came");
});

test("the newest comes first, and one without a Message-ID is one of its own each time", async () => {
  const bare = {
    envelope: { from: "a@own.example", to: "b@own.example" },
    raw: "Subject: bare\r\n\r\nHello\r\n",
  };
  for (const mail of [MAIL, bare, bare]) await transport.sendMail(mail);
  expect((await mailbox.mails()).map(({ subject, messageId }) => [subject, messageId])).toEqual([
    ["bare", null],
    ["bare", null],
    ["Confirm your place", "<mail-1@own.example>"],
  ]);
});

test("the same Message-ID is shown once, however often and wherever it comes in", async () => {
  const other = await openTestMailbox(pool);
  const toOther = createTransport(other.smtpUrl);
  await Promise.all([transport, toOther, transport, toOther].map((each) => each.sendMail(MAIL)));
  expect((await mailbox.mails()).map(({ messageId }) => messageId)).toEqual(["<mail-1@own.example>"]);
  expect(await other.mails()).toEqual(await mailbox.mails());
  await other.close();
});

test("odd characters are kept as far as they can be", async () => {
  const raw = `Message-ID: <1@x>\r\nSubject: =?utf-8?Q?a=00b_=E2=82=AC?=\r\n\r\nNUL \0 and 💛\r\n`;
  await transport.sendMail({ envelope: { from: "a@own.example", to: "b@own.example" }, raw });
  expect(await mailbox.mails()).toMatchObject([
    { subject: expect.stringContaining("€"), text: expect.stringContaining("💛") },
  ]);
});

test("more than 1 MB is refused for good, and the connection stays of use", async () => {
  const large = { ...MAIL, text: "x".repeat(1024 * 1024) };
  await expect(transport.sendMail(large)).rejects.toMatchObject({ responseCode: 552 });
  await transport.sendMail({ ...MAIL, text: "x".repeat(900 * 1024), messageId: "<mail-2@own.example>" });
  expect((await mailbox.mails()).map(({ messageId }) => messageId)).toEqual(["<mail-2@own.example>"]);
});

test.each<[string, (socket: Socket) => void]>([
  ["says goodbye", (socket) => socket.end()],
  ["is torn off", (socket) => socket.resetAndDestroy()],
])("half a mail is none, when its connection %s", async (_, leave) => {
  const { port } = new URL(mailbox.smtpUrl);
  const socket = connect(Number(port), "127.0.0.1");
  for (const line of ["EHLO x", "MAIL FROM:<a@x.example>", "RCPT TO:<b@x.example>", "DATA"]) {
    await once(socket, "data");
    socket.write(`${line}\r\n`);
  }
  await once(socket, "data");
  socket.write("Subject: cut\r\n\r\nThis goes on and");
  leave(socket);
  await once(socket, "close");
  await expect.poll(() => mailbox.logged.join()).toContain("could not be kept");
  expect(await mailbox.mails()).toEqual([]);
  await transport.sendMail(MAIL);
  expect(await mailbox.mails()).toHaveLength(1);
});

test("while its tables are away it asks for the mail again later", async () => {
  await pool.query("ALTER TABLE sandbox_mail.messages RENAME TO away");
  await expect(transport.sendMail(MAIL)).rejects.toMatchObject({ responseCode: 451 });
  expect(mailbox.logged.join()).not.toMatch(/@|Confirm/);
  await pool.query("ALTER TABLE sandbox_mail.away RENAME TO messages");
  await transport.sendMail(MAIL);
  expect(await mailbox.mails()).toHaveLength(1);
});

test("it ends at once although a pooled connection is open, and then takes nothing", async () => {
  await transport.sendMail(MAIL);
  const start = performance.now();
  await mailbox.close();
  // The server ends a connection by itself after a minute.
  expect(performance.now() - start).toBeLessThan(30_000);
  await expect(createTransport(mailbox.smtpUrl).sendMail(MAIL)).rejects.toThrow("ECONNREFUSED");
});

test("other machines on the network cannot reach it", async () => {
  const { port, hostname } = new URL(mailbox.smtpUrl);
  expect(hostname).toBe("127.0.0.1");
  const others = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4")
    .map(({ address }) => address);
  // Linux answers for the whole of 127.0.0.0/8, so that there it can be asked without a network.
  if (process.platform === "linux") others.push("127.0.0.2");
  for (const host of others) {
    const answer = new Promise((resolve) => {
      connect(Number(port), host)
        .once("connect", () => resolve("taken"))
        .once("error", (error) => resolve(error));
    });
    expect(await answer).toMatchObject({ code: "ECONNREFUSED" });
  }
});
