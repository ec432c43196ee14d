import { sql } from "drizzle-orm";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../test/database.ts";
import { user } from "./db/schema.ts";
import { createLog, summariseError } from "./log.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

function logged(error: unknown): string {
  const lines: string[] = [];
  createLog("info", { write: (line) => void lines.push(line) }).error({ error }, "it failed");
  return lines.join("");
}

test("a failed query names its cause and its place, but no value", async () => {
  const person = { id: "1", name: "Ada", email: "ada@example.com" };
  await database.db.insert(user).values(person);
  const line = logged(
    await database.db
      .insert(user)
      .values({ ...person, id: "2" })
      .catch((error: unknown) => error),
  );
  expect(line).toContain("user_email_unique");
  expect(line).toContain("23505");
  expect(line).toContain("log.server.test.ts");
  expect(line).not.toContain("ada@example.com");
});

test("an error of Stripe names itself, but no header and no body", () => {
  const error = new Stripe.errors.StripeCardError({
    type: "card_error",
    message: "Your card was declined.",
    code: "card_declined",
    headers: { authorization: "Bearer sk_live_secret" },
  });
  const line = logged(error);
  expect(line).toContain("Your card was declined.");
  expect(line).toContain("card_declined");
  expect(line).not.toContain("sk_live_secret");
});

test("values stay out of a log and out of what is kept with a job, wherever an error quotes them", async () => {
  const { db } = database;
  const secret = "$scrypt$hash\n    at once, ada@example.com";
  const refused = (values: object) =>
    db
      .insert(user)
      .values({ id: "9", name: secret, email: "grace@example.com", ...values })
      .catch((error: unknown) => error);
  const errors = [
    await refused({ id: "1" }), // there is one already
    await refused({ createdAt: sql`${secret}::timestamptz` }),
    new Stripe.errors.StripeInvalidRequestError({
      type: "invalid_request_error",
      message: "Invalid email address: ada@example.com",
    }),
  ];
  for (const error of errors) {
    expect(error).toBeInstanceOf(Error);
    for (const printed of [logged(error), summariseError(error)])
      expect(printed).not.toMatch(/scrypt|@example/);
  }
  expect(errors.map(summariseError)).toEqual([
    'DatabaseError 23505: duplicate key value violates unique constraint "user_pkey"',
    "DatabaseError 22007: a value was not taken",
    "StripeInvalidRequestError: Invalid email address: (address)",
  ]);
});

test("what is thrown and is no error is not printed", () => {
  expect(logged({ password: "correct horse battery" })).not.toContain("horse");
});
