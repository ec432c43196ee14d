import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { sharedDatabase } from "../../test/database.fixture.ts";
import { waitForLocks } from "../../test/locks.ts";
import { SITE } from "../../test/site.ts";
import { createSignedInUser } from "../../test/users.ts";
import { setProductNews } from "../auth/users.server.ts";
import { entryForm, mailEntry, saveEntry, sendEntry } from "./changelog.server.ts";
import { readUnsubscribeLink, unsubscribeLink } from "./unsubscribe.server.ts";

const database = sharedDatabase();
const OPERATOR = { name: "operator@example.com" };
const [BEFORE, NOW] = ["the secret before", "the secret that came after"];

/** @param isConfirmed whether they confirmed their address. @param wantsNews whether they asked for product news */
async function createReader(isConfirmed: boolean, wantsNews: boolean): Promise<string> {
  const { id } = await createSignedInUser(database.pool);
  await database.pool.query(`UPDATE "user" SET email_verified = $2 WHERE id = $1`, [id, isConfirmed]);
  if (wantsNews) await setProductNews(database.db, id, true);
  return id;
}

async function writeEntry(): Promise<string> {
  const id = randomUUID();
  const typed = entryForm.parse({ id, title: `Entry ${id}`, day: "2026-11-26", body: "One bank." });
  await saveEntry(database.db, OPERATOR, typed);
  return id;
}

/** The mailing's job, run once as the worker does. */
const send = (entryId: string) =>
  sendEntry(
    { db: database.db, config: { site: SITE, authSecret: NOW } },
    { entryId },
    { id: "0" },
    () => false,
  );

/** Who was mailed an entry, as often as they were. */
async function mailed(entryId: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ to: string }>(
    "SELECT payload ->> 'to' AS \"to\" FROM outbox WHERE kind = 'send_mail' AND payload ->> 'subject' = $1",
    [`Entry ${entryId}`],
  );
  return rows.map(({ to }) => to.replace("@example.com", "")).toSorted();
}

test("an entry goes to those who asked and confirmed their address, once, however often its job runs", async () => {
  const readers = await Promise.all([createReader(true, true), createReader(true, true)]);
  await Promise.all([createReader(false, true), createReader(true, false)]);
  const entry = await writeEntry();
  const asked = await Promise.all([1, 2].map(() => mailEntry(database.db, OPERATOR, entry)));
  expect(asked.toSorted()).toEqual([false, true]);
  await Promise.all([send(entry), send(entry)]);
  await send(entry);
  expect(await mailed(entry)).toEqual(readers.toSorted());
});

test("who unsubscribes while it is their turn gets none after it", async () => {
  const [leaving, staying] = await Promise.all([createReader(true, true), createReader(true, true)]);
  const entry = await writeEntry();
  const client = await database.pool.connect();
  await client.query("BEGIN");
  await client.query(`UPDATE "user" SET product_news_since = NULL WHERE id = $1`, [leaving]);
  const sending = send(entry);
  // Without a lock it would not wait, and mail them.
  await Promise.race([sending, waitForLocks(database.pool)]);
  await client.query("COMMIT");
  client.release();
  await sending;
  const readers = await mailed(entry);
  expect(readers).toContain(staying);
  expect(readers).not.toContain(leaving);
});

test("the time of the consent stays when it is given again, and a new one has its own", async () => {
  const reader = await createReader(true, true);
  const since = async () => {
    const { rows } = await database.pool.query(`SELECT product_news_since FROM "user" WHERE id = $1`, [
      reader,
    ]);
    return rows[0].product_news_since;
  };
  await database.pool.query(
    `UPDATE "user" SET product_news_since = now() - interval '1 year' WHERE id = $1`,
    [reader],
  );
  const first = await since();
  await setProductNews(database.db, reader, true);
  expect(await since()).toEqual(first);
  await setProductNews(database.db, reader, false);
  expect(await since()).toBeNull();
  await setProductNews(database.db, reader, true);
  expect((await since()).getTime()).toBeGreaterThan(first.getTime());
});

test("the link in a mail is its reader's alone, and goes on working while the secret before is set", () => {
  const [reader, other] = [randomUUID(), randomUUID()];
  const link = unsubscribeLink(reader, { authSecret: BEFORE, site: SITE });
  const readerOf = (url: string, authSecrets: string[]) =>
    readUnsubscribeLink(new Request(url), { authSecrets });
  expect(readerOf(link, [BEFORE])).toBe(reader);
  expect(readerOf(link, [NOW, BEFORE])).toBe(reader);
  expect(readerOf(link, [NOW])).toBeNull();
  expect(readerOf(link.replace(reader, other), [BEFORE])).toBeNull();
  expect(readerOf(`${SITE.origin}/news/unsubscribe`, [BEFORE])).toBeNull();
});
