import { createTransport } from "nodemailer";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createDatabase } from "../testing/database.ts";
import { openTestMailbox } from "../testing/mailbox.ts";

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: Pool;
let mailbox: Awaited<ReturnType<typeof openTestMailbox>>;

beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url });
  mailbox = await openTestMailbox(pool);
});

beforeEach(() => pool.query("TRUNCATE sandbox_mail.messages RESTART IDENTITY"));

afterAll(async () => {
  await mailbox.close();
  await pool.end();
  await database.drop();
});

const send = (mail: object) =>
  createTransport(mailbox.smtpUrl).sendMail({ from: "a@own.example", to: "ada@example.com", ...mail });

const pageAt = async (path: string) => (await mailbox.get(path)).text();

test("before the first mail the page says how to get one", async () => {
  const page = await pageAt("/sandbox/mail");
  expect(page).toContain("No mail yet");
  expect(page).toContain(mailbox.smtpUrl);
});

test("the list leads to each mail, newest first", async () => {
  await send({ subject: "First" });
  await send({ subject: "" });
  const links = [...(await pageAt("/sandbox/mail")).matchAll(/<a href="(\/sandbox\/mail\/\d+)">(.*?)<\/a>/g)];
  expect(links.map(([, href, subject]) => [href, subject])).toEqual([
    ["/sandbox/mail/2", "(no subject)"],
    ["/sandbox/mail/1", "First"],
  ]);
  expect(await pageAt("/sandbox/mail/1")).toContain("<h1>First</h1>");
});

test("what a mail says is text, and its HTML stays in a frame that runs nothing", async () => {
  const evil = '"><script>alert(1)</script>';
  await send({
    subject: evil,
    text: evil,
    html: `<!doctype html><p title='"'>${evil}</p>`,
    replyTo: `"${evil.replace('"', "")}" <b@x.example>`,
  });
  for (const path of ["/sandbox/mail", "/sandbox/mail/1"]) {
    const response = await mailbox.get(path);
    const policy = response.headers.get("content-security-policy");
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/script-src|frame-src|img-src/);
    expect(await response.text()).not.toContain("<script");
  }
  const page = await pageAt("/sandbox/mail/1");
  expect(page).toContain('sandbox="allow-top-navigation-by-user-activation"');
  expect(page).toContain('srcdoc="&#60;!doctype html&#62;&#60;base target=&#34;_top&#34;&#62;&#60;p');
});

test.each(["x", "0", "1x", "1/2", "../1", "99999999999999999999", "7", "%00"])(
  "/sandbox/mail/%s is nowhere",
  async (id) => {
    const response = await mailbox.get(`/sandbox/mail/${id}`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("This mail does not exist");
  },
);

test.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("%s changes nothing here", async (method) => {
  await send({ subject: "Stays" });
  for (const path of ["/sandbox/mail", "/sandbox/mail.json", "/sandbox/mail/1"]) {
    const response = await mailbox.get(path, method);
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  }
  expect(await mailbox.mails()).toHaveLength(1);
});
