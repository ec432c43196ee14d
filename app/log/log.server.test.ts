import { sql } from "drizzle-orm";
import Stripe from "stripe";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { user } from "../auth/schema.ts";
import { connect } from "../db/client.server.ts";
import { DatabaseAwayError } from "../db/database-away.server.ts";
import { freePort } from "../db/embedded.server.ts";
import { createLog, summarizeError } from "./log.server.ts";

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
    for (const printed of [logged(error), summarizeError(error)])
      expect(printed).not.toMatch(/scrypt|@example/);
  }
  expect(errors.map(summarizeError)).toEqual([
    'DatabaseError 23505: duplicate key value violates unique constraint "user_pkey"',
    "DatabaseError 22007: a value was not taken",
    "StripeInvalidRequestError: Invalid email address: (address)",
  ]);
});

test("what is thrown and is no error is not printed", () => {
  expect(logged({ password: "correct horse battery" })).not.toContain("horse");
});

describe("the same trouble again and again", () => {
  const lines: Record<string, unknown>[] = [];
  let log: ReturnType<typeof createLog>;

  beforeEach(() => {
    lines.length = 0;
    log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("is written once, and then once a minute with how often it was, until it is over", () => {
    vi.useFakeTimers();
    const fail = () => log.warn({ error: new Error("it is broken"), path: "/" }, "could not look");
    for (let second = 0; second < 150; second++) {
      fail();
      log.warn({ error: new Error("it is broken"), path: "/" }, "could not sweep");
      vi.advanceTimersByTime(1_000);
    }
    vi.advanceTimersByTime(10 * 60_000);
    const looks = lines.filter(({ msg }) => msg === "could not look");
    expect(looks.map(({ count }) => count)).toEqual([undefined, 59, 60, 30]);
    expect(looks).toMatchObject([
      { level: "warn", path: "/", error: { message: "it is broken" } },
      {},
      {},
      {},
    ]);
    expect(lines).toHaveLength(8);
    expect(looks.map(({ error }) => typeof (error as { stack?: string }).stack)).toEqual([
      "string",
      ...Array(3).fill("undefined"),
    ]);
    fail();
    expect(lines).toHaveLength(9);
  });

  test("is another one when something else is wrong", () => {
    for (const why of ["one", "other", "one"]) log.warn({ error: new Error(why) }, "could not look");
    expect(lines.map(({ error }) => (error as Error).message)).toEqual(["one", "other"]);
  });

  test("keeps the id of each request, and of a database that is away no more than that", async () => {
    const { db, pool } = connect(`postgres://127.0.0.1:${await freePort()}/none`, 1, () => {});
    const refused = await db
      .select()
      .from(user)
      .catch((error: unknown) => error);
    const wrapped = new Error("could not sign in", { cause: refused });
    for (const [id, error] of [refused, refused, wrapped, new DatabaseAwayError("too many")].entries())
      log.error({ error, id: String(id) }, "it failed");
    await pool.end();
    expect(lines.map(({ id }) => id)).toEqual(["0", "1", "2", "3"]);
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(250);
    expect(JSON.stringify(lines)).not.toContain("    at ");
    expect(lines.slice(0, 3).map(({ error }) => (error as { code: string }).code)).toEqual(
      Array(3).fill("ECONNREFUSED"),
    );
    log.error({ error: new Error("a bug"), id: "4" }, "it failed");
    expect(JSON.stringify(lines.at(-1))).toContain("    at ");
  });
});
