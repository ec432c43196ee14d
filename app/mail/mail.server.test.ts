import { openTestMailbox } from "@ownwords/sandbox/testing";
import type { SMTPServerOptions } from "smtp-server";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { startSmtpServer } from "../../test/smtp.ts";
import { createLog } from "../log/log.server.ts";
import { connectMail, type Mail, type Mailer } from "./mail.server.ts";

const SENDER = { name: "Own Words", publicOrigin: "https://own.example" };
const FROM = "support@own.example";
const MAIL: Mail = { to: "ada@example.com", subject: "Hello", text: "Text", html: "<p>Text</p>" };

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

function sendingTo(url: string, sender = SENDER): Mailer & { isOn: true } {
  const mailer = connectMail({ mode: "smtp", url, from: FROM }, sender, null);
  if (!mailer.isOn) throw new Error(mailer.reason);
  return mailer;
}

describe("what arrives", () => {
  let mailbox: Awaited<ReturnType<typeof openTestMailbox>>;
  let mailer: Mailer & { isOn: true };

  beforeEach(async () => {
    mailbox = await openTestMailbox(database.pool);
    await database.pool.query("TRUNCATE sandbox_mail.messages");
    mailer = sendingTo(mailbox.smtpUrl);
  });

  afterEach(async () => {
    mailer.close();
    await mailbox.close();
  });

  async function arrived(mail: Partial<Mail>) {
    expect(await mailer.send({ ...MAIL, ...mail }, "7")).toBe(true);
    const [first, ...others] = await mailbox.mails();
    expect(others).toEqual([]);
    return first;
  }

  test("can be left with one click, however long the address is", async () => {
    const leaveUrl = `https://own.example/waitlist/leave?token=${"long".repeat(100)}`;
    expect((await arrived({ leaveUrl }))?.headers).toMatchObject({
      "list-unsubscribe": `<${leaveUrl}>`,
      "list-unsubscribe-post": "List-Unsubscribe=One-Click",
    });
  });

  test("has nothing to leave unless it says so", async () => {
    expect((await arrived({}))?.headers).not.toHaveProperty("list-unsubscribe");
  });

  test("says that no person wrote it, unless one did", async () => {
    expect((await arrived({}))?.headers).toMatchObject({ "auto-submitted": "auto-generated" });
    await database.pool.query("TRUNCATE sandbox_mail.messages");
    expect((await arrived({ isFromPerson: true }))?.headers).not.toHaveProperty("auto-submitted");
  });

  const INJECTED = "\r\nBcc: eve@evil.example\r\nX-Evil: yes\r\n\r\nBody";

  test.each<[string, Partial<Mail>]>([
    ["subject", { subject: `Hello${INJECTED}` }],
    ["reply-to", { replyTo: `grace@example.com${INJECTED}` }],
    ["leave address", { leaveUrl: `https://own.example/${INJECTED}` }],
  ])("a line break in the %s adds no header and nobody", async (_, mail) => {
    const shown = await arrived(mail);
    expect(shown?.to).toBe("ada@example.com");
    expect(shown?.headers).not.toHaveProperty("x-evil");
    expect(shown?.headers).not.toHaveProperty("bcc");
    expect(shown?.text).toMatch(/^Text\n?$/);
  });

  test("a line break in our own name adds none either", async () => {
    mailer.close();
    mailer = sendingTo(mailbox.smtpUrl, { ...SENDER, name: `Own"Words${INJECTED}` });
    const shown = await arrived({});
    expect(shown?.from).toMatch(/<support@own\.example>$/);
    expect(shown?.headers).not.toHaveProperty("x-evil");
  });

  test("answers go to one address, even if several were typed", async () => {
    const shown = await arrived({ replyTo: "grace@example.com, eve@evil.example" });
    expect(shown?.headers["reply-to"]).toBe('<"grace@example.com, eve"@evil.example>');
  });

  test.each([
    "ada@example.com, eve@evil.example",
    "ada@example.com;eve@evil.example",
    "Friends: ada@example.com, eve@evil.example;",
    "Ada <ada@example.com>",
    "ada@example.com\r\nRCPT TO:<eve@evil.example>",
    "ada@example.com> NOTIFY=NEVER",
    "nobody",
    "",
  ])("%j is not an address, and reaches nobody", async (to) => {
    expect(await mailer.send({ ...MAIL, to }, "7")).toBe(false);
    expect(await mailbox.mails()).toEqual([]);
  });

  test("is what was written, not what that names", async () => {
    const html = { path: "/etc/hostname" } as unknown as string;
    await expect(mailer.send({ ...MAIL, html }, "7")).rejects.toThrow("EFILEACCESS");
    expect(await mailbox.mails()).toEqual([]);
  });
});

describe("a server that refuses", () => {
  const smtpError = (responseCode: number, message: string) =>
    Object.assign(new Error(message), { responseCode });

  async function sentTo(options: SMTPServerOptions): Promise<unknown> {
    const server = await startSmtpServer(options);
    const mailer = sendingTo(server.url);
    const outcome = await mailer.send(MAIL, "7").catch((error: unknown) => error);
    mailer.close();
    await server.close();
    return outcome;
  }

  test.each([
    [550, "5.1.1", false],
    [550, "5.1.10", false],
    [501, "5.1.3", false],
    [501, "bad recipient address syntax", false],
    [550, "5.7.1", "EENVELOPE RCPT TO 550 5.7.1"],
    [550, "5.1.8", "EENVELOPE RCPT TO 550 5.1.8"],
    [450, "4.1.1", "EENVELOPE RCPT TO 450 4.1.1"],
    [450, "5.1.1", "EENVELOPE RCPT TO 450 5.1.1"],
    [550, "no", "EENVELOPE RCPT TO 550"],
  ])("%i %s to the address: %j", async (code, detail, outcome) => {
    const answer = smtpError(code, `${detail} <ada@example.com>: refused`);
    const sent = await sentTo({ onRcptTo: (_address, _session, done) => done(answer) });
    if (!outcome) expect(sent).toBe(false);
    else expect(sent).toMatchObject({ message: `the mail server did not take it: ${outcome}` });
  });

  test("what it answers, quoting the address and the mail, is in no log and in no field of the error", async () => {
    const lines: string[] = [];
    const log = createLog("debug", { write: (line) => void lines.push(line) });
    const answer = smtpError(554, "5.6.0 ada@example.com: Text contains token=secret");
    for (const options of [
      { onMailFrom: (_address, _session, done) => done(answer) },
      { onRcptTo: (_address, _session, done) => done(answer) },
      { onData: (stream, _session, done) => stream.resume().once("end", () => done(answer)) },
      { onConnect: (_session, done) => done(answer) },
    ] satisfies SMTPServerOptions[]) {
      const error = await sentTo(options);
      expect(error).toBeInstanceOf(Error);
      expect(String(error)).toMatch(/ E[A-Z]+ .*554 5\.6\.0/);
      expect(JSON.stringify(error)).not.toMatch(/@|secret/);
      log.warn({ error }, "a job failed");
    }
    expect(lines).toHaveLength(4);
    expect(lines.join("")).toContain("RCPT TO 554 5.6.0");
    expect(lines.join("")).not.toMatch(/ada@|secret/);
  });

  test("a password it does not take is not told", async () => {
    let heard = "";
    const server = await startSmtpServer({
      authMethods: ["PLAIN"],
      onAuth({ username, password }, _session, done) {
        heard = `${username} ${password}`;
        done(smtpError(535, `5.7.8 ${heard} is wrong`));
      },
      disabledCommands: ["STARTTLS"],
      allowInsecureAuth: true,
    });
    const mailer = sendingTo(server.url.replace("//", "//mailer:hunter%402@"));
    const error = await mailer.send(MAIL, "7").catch(String);
    mailer.close();
    await server.close();
    expect(heard).toBe("mailer hunter@2");
    expect(error).toBe("MailError: the mail server did not take it: EAUTH AUTH PLAIN 535 5.7.8");
  });

  test("one without TLS gets nothing when TLS is insisted on", async () => {
    const server = await startSmtpServer({});
    const mailer = sendingTo(`${server.url}?requireTLS=true`);
    await expect(mailer.send(MAIL, "7")).rejects.toThrow("ETLS STARTTLS");
    mailer.close();
    await server.close();
  });
});

test("without a server there is no way out, and a reason", () => {
  expect(connectMail({ mode: "off", reason: "SMTP_URL is not set" }, SENDER, "smtp://127.0.0.1:1")).toEqual({
    isOn: false,
    reason: "SMTP_URL is not set",
  });
  expect(connectMail({ mode: "sandbox", from: FROM }, SENDER, null)).toMatchObject({ isOn: false });
});
