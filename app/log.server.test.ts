import Stripe from "stripe";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../test/database.ts";
import { user } from "./db/schema.ts";
import { createLog } from "./log.server.ts";

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

test("what is thrown and is no error is not printed", () => {
  expect(logged({ password: "correct horse battery" })).not.toContain("horse");
});
