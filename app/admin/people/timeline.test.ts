import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../../test/database.ts";
import { createPerson } from "../../../test/users.ts";
import { readListQuery } from "../lists/list-query.ts";
import { readPerson } from "./read-person.server.ts";
import { readTimeline } from "./timeline.server.ts";
import { describeEntry, pageOfEntry } from "./timeline-words.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

const cursorOf = (parameters: Record<string, string>) =>
  readListQuery(new URLSearchParams(parameters), { sorts: [], isDescending: true, filters: [] }).from;

test("everything that happened is there once, newest first, forwards and back, however much comes at one moment", async () => {
  const { pool, db } = database;
  const person = await createPerson(pool);
  const customer = `cus_${randomUUID()}`;
  await pool.query(
    `INSERT INTO stripe_events (id, type, created, customer_id, received_at)
     SELECT $1 || i, 'invoice.paid', now(), $1, now() - make_interval(mins => i / 10) FROM generate_series(1, 70) AS i`,
    [customer],
  );
  await pool.query(
    `INSERT INTO mails (id, recipient, subject, queued_at)
     SELECT -1000 - i, $1, 'Hello ' || i, now() - make_interval(mins => i / 10) FROM generate_series(1, 25) AS i`,
    [person.email],
  );
  const pages: string[][] = [];
  let next: string | null = "";
  let last: Awaited<ReturnType<typeof readTimeline>> | undefined;
  for (; next !== null; next = last.next) {
    last = await readTimeline(db, person, customer, next ? cursorOf({ after: next }) : null);
    pages.push(last.rows.map(({ key }) => key));
  }
  const keys = pages.flat();
  // Also signing up and signing in.
  expect(keys).toHaveLength(70 + 25 + 2);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys.slice(-1)[0]).toMatch(/^stripe_event /);
  const back = await readTimeline(db, person, customer, cursorOf({ before: last?.previous ?? "" }));
  expect(back.rows.map(({ key }) => key)).toEqual(pages.at(-2));
});

test("a sign-in that never took its second step is no sign-in", async () => {
  const { pool, db } = database;
  const person = await createPerson(pool);
  await pool.query(
    `INSERT INTO session (id, token_hash, user_id, user_agent, needs_second_factor, expires_at)
     VALUES ($1, $1, $2, $3, true, now() + interval '10 minutes')`,
    [randomUUID(), person.id, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
  );
  const { rows } = await readTimeline(db, person, null, null);
  const said = rows.map(({ kind, facts }) => describeEntry(kind, facts));
  expect(said.filter((line) => line.startsWith("Signed in"))).toHaveLength(1);
  expect(said).toContain("Took the first step of logging in and not the second: Firefox on Linux");
  expect((await readPerson(db, person.id))?.signIn.sessions).toBe(1);
});

test("what it says, and where it leads", () => {
  const mail = { id: "7", subject: "Receipt", isSent: false, isGivenUp: true, failure: "EENVELOPE" };
  expect([describeEntry("mail", mail), pageOfEntry("mail", mail)]).toEqual([
    "Receipt, given up, EENVELOPE",
    "/admin/mail/7",
  ]);
  const redeemed = { tier: "basic", code: "A B", reason: null };
  expect([describeEntry("grant", redeemed), pageOfEntry("grant", redeemed)]).toEqual([
    "Redeemed A B: CSV Only",
    "/admin/codes/A%20B",
  ]);
  const given = { tier: "premium", code: null, reason: "Press" };
  expect([describeEntry("grant", given), pageOfEntry("grant", given)]).toEqual([
    "Was given CSV + Banking: Press",
    null,
  ]);
  const invoice = { id: "in_1", number: null, status: "paid", amount: 4999, currency: "usd", refunded: 500 };
  expect(describeEntry("invoice", invoice)).toBe("Invoice in_1: $49.99, paid, $5.00 refunded");
  const cancel = { change: "cancel", price: null, reason: "unused", comment: "Bye", isDone: false };
  expect(describeEntry("plan_change", cancel)).toBe("Asked to cancel, unused, Bye, not done yet");
});
