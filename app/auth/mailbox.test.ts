import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { mailboxOf, mailboxSql } from "./mailbox.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

test.each([
  ["ada@example.com", "ada@example.com"],
  ["Ada+News@Example.com", "ada@example.com"],
  ["a.da@example.com", "a.da@example.com"],
  ["A.da+1+2@gmail.com", "ada@gmail.com"],
  ["ada@googlemail.com", "ada@gmail.com"],
  ["+ada@example.com", "+ada@example.com"],
  ["sales/eu@example.com", "sales/eu@example.com"],
  ["a.b@gmail.com.example", "a.b@gmail.com.example"],
])("%s leads to %s, in code and in a query alike", async (email, mailbox) => {
  expect(mailboxOf(email)).toBe(mailbox);
  const { rows } = await database.db.execute(sql`SELECT ${mailboxSql(sql`${email}::text`)} AS mailbox`);
  expect(rows).toEqual([{ mailbox }]);
});
