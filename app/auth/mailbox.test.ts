import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { sharedDatabase } from "../../test/database.fixture.ts";
import { mailboxOf, mailboxSql } from "./mailbox.ts";

const database = sharedDatabase();

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
