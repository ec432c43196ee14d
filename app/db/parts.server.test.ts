import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { session, user } from "../auth/schema.ts";
import { connect, endPool } from "./client.server.ts";
import { ask, firstRow, momentPart, nested, prepare, rows, together } from "./parts.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let userIds: string[];

beforeAll(async () => {
  database = await openDatabase();
  userIds = (await createSignedInUsers(database.pool, 2)).map(({ id }) => id);
});

afterAll(() => database.close());

const { id, email, emailVerified, image, createdAt } = user;
const personPart = (userId: string) =>
  firstRow(
    {
      person: nested({ id, email, emailVerified, image, createdAt }),
      sessions: rows(
        { id: session.id, expiresAt: session.expiresAt, isOpen: sql<boolean>`${session.expiresAt} > now()` },
        sql`FROM ${session} WHERE ${session.userId} = ${user.id} ORDER BY ${session.id}`,
      ),
    },
    sql`FROM ${user} WHERE ${user.id} = ${userId}`,
  );

test("parts are read as the columns themselves are: dates, booleans, what is missing", async () => {
  const { db } = database;
  for (const userId of userIds) {
    const [person] = await db
      .select({ id, email, emailVerified, image, createdAt })
      .from(user)
      .where(eq(user.id, userId));
    const sessions = await db
      .select({ id: session.id, expiresAt: session.expiresAt })
      .from(session)
      .where(eq(session.userId, userId));
    expect(await ask(db, personPart(userId))).toEqual({
      person,
      sessions: sessions.map((each) => ({ ...each, isOpen: true })),
    });
  }
  expect(await ask(db, personPart("nobody"))).toBeNull();
  const { now, none } = await ask(
    db,
    together({ now: momentPart(), none: rows({ id }, sql`FROM ${user} WHERE false`) }),
  );
  expect(none).toEqual([]);
  expect(Math.abs(now.getTime() - Date.now())).toBeLessThan(60_000);
});

test("a statement is prepared once a connection, and goes on when a pooler has lost it", async () => {
  const { db, pool } = connect(database.url, 1, () => {});
  const askAgain = prepare("test_email", () =>
    firstRow({ email }, sql`FROM ${user} WHERE ${user.id} = ${sql.placeholder("userId")}`),
  );
  const [one = "", other = ""] = userIds;
  const askBoth = async () => {
    expect(await askAgain(db, { userId: one })).toEqual({ email: `${one}@example.com` });
    expect(await askAgain(db, { userId: other })).toEqual({ email: `${other}@example.com` });
  };
  const countPrepared = async () =>
    (await pool.query("SELECT count(*)::int AS count FROM pg_prepared_statements")).rows[0].count;
  await askBoth();
  expect(await countPrepared()).toBe(1);
  await pool.query("DEALLOCATE ALL");
  await askBoth();
  expect(await countPrepared()).toBe(0);
  await endPool(pool);
});
