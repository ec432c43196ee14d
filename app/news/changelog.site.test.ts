import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { eventually, mainOf, postForm } from "../../test/http.ts";
import { linkIn, mailTo } from "../../test/mail.ts";
import { createOperator } from "../../test/operator.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createSignedInUsers, get, type Person } from "../../test/users.ts";

const server = sharedServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
});

const text = async (path: string, cookie = "") => (await get(server, path, cookie)).text();

function write(id: string, fields: Record<string, string> = {}) {
  const entry = {
    id,
    title: "First file read",
    day: "2026-11-26",
    body: "One bank.\n\nMore <soon>.",
    feature: "",
  };
  return postForm(server, "/admin/changelog", { ...entry, ...fields }, operator.cookie);
}

/** The address they are made with. */
const withAddress = (person: { id: string; cookie: string }) => ({
  ...person,
  email: `${person.id}@example.com`,
});

/** Accounts with confirmed addresses, which want product news. */
async function subscribers(count: number): Promise<Person[]> {
  const people = (await createSignedInUsers(server.pool, count)).map(withAddress);
  await server.pool.query(
    `UPDATE "user" SET email_verified = true, product_news_since = now() WHERE id = ANY ($1)`,
    [people.map(({ id }) => id)],
  );
  return people;
}

test("what the operator writes is on the dashboard, on the public page and in its feed, until it is deleted", async () => {
  const [reader] = await subscribers(1);
  const id = randomUUID();
  expect((await write(id, { title: "" })).status).toBe(400);
  expect((await write(id, { day: "yesterday" })).status).toBe(400);
  // Sent twice, it is one entry.
  for (const answer of [await write(id), await write(id, { feature: "csv_processing" })])
    expect(answer.headers.get("location")).toBe(`/admin/changelog/${id}?said=saved`);
  await eventually(async () => (await text("/changelog")).includes("First file read"), "the public page");
  const page = await mainOf(await get(server, "/changelog", ""));
  expect(page.replaceAll(/<[^>]+>/g, " ")).toMatch(
    /November 26, 2026.* CSV Processing .*One bank\..*More &lt;soon&gt;/s,
  );
  expect(page.match(/First file read/g)).toHaveLength(1);
  expect(await text("/dashboard", reader?.cookie)).toContain(`/changelog#${id}`);
  const feed = await get(server, "/changelog/feed.xml", "");
  expect(feed.headers.get("content-type")).toContain("application/atom+xml");
  expect(await feed.text()).toContain(`<id>${server.origin}/changelog#${id}</id>`);

  await postForm(server, `/admin/changelog/${id}`, { do: "delete" }, operator.cookie);
  await eventually(async () => !(await text("/changelog")).includes("First file read"), "it is gone");
});

test("the link in the mail ends it with one click of a mail program, signed in as nobody, and only that person's", async () => {
  const [leaving, staying] = await subscribers(2);
  const id = randomUUID();
  await write(id, { title: `Leaving ${id}` });
  await postForm(server, `/admin/changelog/${id}`, { do: "mail", sure: "on" }, operator.cookie);
  const mail = await mailTo(server, leaving?.email ?? "", new RegExp(id));
  const link = linkIn(mail, "/news/unsubscribe");
  expect(await text(link)).toContain("Unsubscribe from product news?");
  expect(await wanting([leaving, staying])).toBe(2);
  const answer = await fetch(server.origin + link, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://mail.example" },
    body: "List-Unsubscribe=One-Click",
  });
  expect(answer.status).toBe(200);
  expect(await wanting([leaving])).toBe(0);
  expect(await wanting([staying])).toBe(1);
  expect(await text(link)).toContain("unsubscribed");
  expect(
    (await fetch(`${server.origin}/news/unsubscribe?token=${staying?.id}_${"a".repeat(43)}`)).status,
  ).toBe(404);
  const deleted = await postForm(server, `/admin/changelog/${id}`, { do: "delete" }, operator.cookie);
  expect(deleted.status).toBe(303);
});

test("the account page turns it on and off, and says that receipts stay", async () => {
  const [person] = await createSignedInUsers(server.pool, 1);
  const save = (fields: Record<string, string>) =>
    postForm(server, "/account", { form: "notifications", ...fields }, person?.cookie);
  expect((await save({ product_news: "on" })).headers.get("location")).toBe("/account?changed=notifications");
  expect(await wanting([person])).toBe(1);
  expect(await text("/account", person?.cookie)).toMatch(/Receipts .* can’t be turned off/);
  await save({});
  expect(await wanting([person])).toBe(0);
});

async function wanting(people: ({ id: string } | undefined)[]): Promise<number> {
  const { rowCount } = await server.pool.query(
    `SELECT FROM "user" WHERE product_news_since IS NOT NULL AND id = ANY ($1)`,
    [people.map((person) => person?.id)],
  );
  return rowCount ?? 0;
}
