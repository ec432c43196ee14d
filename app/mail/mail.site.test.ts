import type { ShownMail } from "@ownwords/sandbox/testing";
import type { Pool } from "pg";
import { expect, test } from "vitest";
import { eventually } from "../../test/http.ts";
import { startServer } from "../../test/server.ts";

const MAIL = { to: "ada@example.com", subject: "Hello", text: "Text", html: "<p>Text</p>" };

async function writeMail(pool: Pool, mail: object = MAIL): Promise<void> {
  await pool.query("INSERT INTO outbox (kind, payload) VALUES ('send_mail', $1)", [JSON.stringify(mail)]);
}

test("what is in the outbox is sent to the sandbox and shown there; a hopeless address holds up nothing", async () => {
  const server = await startServer();
  const isDone = async () => {
    const { rows } = await server.pool.query("SELECT FROM outbox WHERE done_at IS NULL");
    return rows.length === 0;
  };
  try {
    await writeMail(server.pool, { ...MAIL, to: "ada@example.com, eve@evil.example" });
    await writeMail(server.pool);
    await eventually(isDone, "both jobs are done");
    const mails: ShownMail[] = await (await fetch(`${server.origin}/sandbox/mail.json`)).json();
    expect(mails).toMatchObject([
      { to: "ada@example.com", subject: "Hello", from: "Ownwords <support@ownwords.example>" },
    ]);
    expect(mails[0]?.messageId).toMatch(/^<mail-\d+@localhost>$/);
    const { rows } = await server.pool.query(
      "SELECT DISTINCT payload::text FROM outbox WHERE kind = 'send_mail'",
    );
    expect(rows).toEqual([{ payload: "{}" }]);

    const page = await fetch(`${server.origin}/sandbox/mail`);
    expect(await page.text()).toContain("To ada@example.com");
    expect((await fetch(`${server.origin}/sandbox/mail/${mails[0]?.id}`)).status).toBe(200);
    expect((await fetch(`${server.origin}/sandbox/mail`, { method: "DELETE" })).status).toBe(405);
  } finally {
    await server.stop();
  }
});

test("production without SMTP_URL runs, shows no mailbox, and what it has to send waits", async () => {
  const server = await startServer({ NODE_ENV: "production", PUBLIC_ORIGIN: "https://own.example" });
  const loopback = `http://127.0.0.1:${server.port}`;
  try {
    await writeMail(server.pool);
    const jobs = async () => {
      const { rows } = await server.pool.query(
        "SELECT done_at, last_error, payload FROM outbox WHERE kind = 'send_mail' AND last_error IS NOT NULL",
      );
      return rows;
    };
    await eventually(async () => (await jobs()).length > 0, "the job was tried");
    expect(await jobs()).toEqual([{ done_at: null, last_error: "Error: mail is off", payload: MAIL }]);
    expect((await fetch(`${loopback}/readyz`)).status).toBe(200);
    for (const path of ["/sandbox/mail", "/sandbox/mail.json"]) {
      expect((await fetch(loopback + path)).status).toBe(404);
    }
  } finally {
    await server.stop();
  }
});
