import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { enqueueMail } from "./enqueue-mail.server.ts";
import { MESSAGE, SITE } from "./message.fixture.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

test("a mail is written exactly when its reason is", async () => {
  await database.db
    .transaction(async (tx) => {
      await enqueueMail(tx, SITE, { ...MESSAGE, subject: "Never happened" });
      throw new Error("changed my mind");
    })
    .catch(() => {});
  await database.db.transaction((tx) => enqueueMail(tx, SITE, MESSAGE));

  const { rows } = await database.pool.query("SELECT kind, payload FROM outbox");
  expect(rows).toEqual([
    {
      kind: "send_mail",
      payload: {
        to: "ada@example.com",
        subject: "Confirm your place on the waitlist",
        leaveUrl: "https://own.example/waitlist/leave?token=abc",
        text: expect.stringContaining("Confirm my place:\nhttps://own.example/waitlist/confirm?token=abc"),
        paragraphs: MESSAGE.paragraphs,
        action: MESSAGE.action,
        footnotes: MESSAGE.footnotes,
      },
    },
  ]);
});
