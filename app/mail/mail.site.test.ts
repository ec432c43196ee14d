import { randomUUID } from "node:crypto";
import type { ShownMail } from "@ownwords/sandbox/testing";
import { expect, test } from "vitest";
import { eventually } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";

const server = sharedServer();

test("what is in the outbox is sent to the sandbox and shown there; a hopeless address holds up nothing", async () => {
  const subject = `Hello ${randomUUID()}`;
  const mail = { to: "ada@example.com", subject, text: "Text", html: "<p>Text</p>" };
  const { rows: jobs } = await server.pool.query(
    "INSERT INTO outbox (kind, payload) SELECT 'send_mail', unnest($1::jsonb[]) RETURNING id",
    [[{ ...mail, to: "ada@example.com, eve@evil.example" }, mail]],
  );
  const left = await eventually(async () => {
    const { rows } = await server.pool.query(
      "SELECT payload FROM outbox WHERE done_at IS NOT NULL AND id = ANY ($1)",
      [jobs.map(({ id }) => id)],
    );
    return rows.length === 2 && rows;
  }, "both jobs are done");
  expect(left).toEqual([{ payload: {} }, { payload: {} }]);
  const mails: ShownMail[] = await (await fetch(`${server.origin}/sandbox/mail.json`)).json();
  const sent = mails.filter((each) => each.subject === subject);
  expect(sent).toMatchObject([{ to: "ada@example.com", from: "Ownwords <support@ownwords.example>" }]);
  expect(sent[0]?.messageId).toMatch(/^<mail-\d+@localhost>$/);

  const page = await fetch(`${server.origin}/sandbox/mail`);
  expect(await page.text()).toContain("To ada@example.com");
  expect((await fetch(`${server.origin}/sandbox/mail/${sent[0]?.id}`)).status).toBe(200);
  expect((await fetch(`${server.origin}/sandbox/mail`, { method: "DELETE" })).status).toBe(405);
});
