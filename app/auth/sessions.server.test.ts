import { expect, test } from "vitest";
import { sharedDatabase } from "../../test/database.fixture.ts";
import { eventually } from "../../test/http.ts";
import { createSignedInUser } from "../../test/users.ts";
import {
  completeSession,
  createSession,
  endSessions,
  findAndRenewSession,
  findPendingSession,
} from "./sessions.server.ts";

const database = sharedDatabase();

/** A new session, as it is some minutes after it was last renewed. */
async function sessionAfter(minutes: number) {
  const { id: userId } = await createSignedInUser(database.pool);
  const opened = await createSession(database.db, userId, null);
  if (!opened) throw new Error("no session was opened");
  await database.pool.query(
    `UPDATE session SET expires_at = expires_at - make_interval(mins => $2),
       updated_at = updated_at - make_interval(mins => $2) WHERE id = $1`,
    [opened.id, minutes],
  );
  return { ...opened, userId };
}

const MONTH_MINUTES = 30 * 24 * 60;

test.each([
  [0, { isRenewed: false }],
  [9, { isRenewed: false }],
  [11, { isRenewed: true }],
  [MONTH_MINUTES - 1, { isRenewed: true }],
  [MONTH_MINUTES + 1, null],
])("%d minutes after it was renewed, a session is %o", async (minutes, expected) => {
  const { id, token, userId } = await sessionAfter(minutes);
  const found = await findAndRenewSession(database.db, token);
  expect(found).toEqual(expected && { id, user: expect.objectContaining({ id: userId }), ...expected });
  const { rows } = await database.pool.query(
    "SELECT expires_at > now() + interval '30 days' - interval '1 minute' AS is_new FROM session WHERE id = $1",
    [id],
  );
  expect(rows).toEqual([{ is_new: minutes === 0 || expected?.isRenewed === true }]);
});

test("a session ends 90 days after it began, however often it is renewed", async () => {
  const { id, token } = await sessionAfter(11);
  const begin = (days: number) =>
    database.pool.query("UPDATE session SET created_at = now() - make_interval(days => $2) WHERE id = $1", [
      id,
      days,
    ]);
  await begin(89);
  expect(await findAndRenewSession(database.db, token)).toMatchObject({ isRenewed: true });
  const { rows } = await database.pool.query(
    "SELECT expires_at = created_at + interval '90 days' AS is_last FROM session WHERE id = $1",
    [id],
  );
  expect(rows).toEqual([{ is_last: true }]);
  expect(await findAndRenewSession(database.db, token)).toMatchObject({ isRenewed: false });
  await begin(91);
  await database.pool.query("UPDATE session SET expires_at = now() + interval '9 days' WHERE id = $1", [id]);
  expect(await findAndRenewSession(database.db, token)).toBeNull();
});

test("the table does not have the token, and only accounts get one", async () => {
  const { token } = await sessionAfter(0);
  const { rows } = await database.pool.query("SELECT session::text AS row FROM session");
  for (const { row } of rows) expect(row).not.toContain(token);
  expect(await createSession(database.db, "nobody", null)).toBeNull();
});

test("with a second factor a session waits ten minutes for it, is none until then, and opens once", async () => {
  const { db, pool } = database;
  const { userId } = await sessionAfter(0);
  await pool.query("INSERT INTO passkeys (id, user_id, name, public_key) VALUES ($1, $1, 'A key', '')", [
    userId,
  ]);
  await pool.query("DELETE FROM session WHERE user_id = $1", [userId]);
  const [waiting, late] = [await createSession(db, userId, null), await createSession(db, userId, null)];
  if (!waiting || !late) throw new Error("no session was opened");
  expect(await findAndRenewSession(db, waiting.token)).toBeNull();
  expect(await findPendingSession(db, waiting.token)).toMatchObject({ id: waiting.id });
  const end = "UPDATE session SET expires_at = expires_at - interval '10 minutes' WHERE id = $1";
  await pool.query(end, [late.id]);
  expect(await findPendingSession(db, late.token)).toBeNull();
  expect(await completeSession(db, late.id)).toBeNull();

  const token = await completeSession(db, waiting.id);
  expect(await findAndRenewSession(db, token ?? "")).toMatchObject({ id: waiting.id });
  expect(await findAndRenewSession(db, waiting.token), "the token of before").toBeNull();
  expect(await completeSession(db, waiting.id)).toBeNull();
});

test("a session that ends while it is renewed is none", async () => {
  const { id, token } = await sessionAfter(11);
  const holder = await database.pool.connect();
  await holder.query("BEGIN");
  await holder.query("DELETE FROM session WHERE id = $1", [id]);
  const finding = findAndRenewSession(database.db, token);
  const waits =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await eventually(async () => (await database.pool.query(waits)).rowCount === 1, "it waits");
  await holder.query("COMMIT");
  holder.release();
  expect(await finding).toBeNull();
});

test("signing out everywhere else leaves this session and other people's", async () => {
  const { db } = database;
  const [own, stranger] = [await sessionAfter(0), await sessionAfter(0)];
  const others = [await createSession(db, own.userId, null), await createSession(db, own.userId, null)];
  const open = async () => {
    const found = [own, stranger, ...others].map((each) => findAndRenewSession(db, each?.token ?? ""));
    return (await Promise.all(found)).map((each) => each !== null);
  };
  await endSessions(db, own.userId, own.id, { id: own.id });
  await endSessions(db, own.userId, own.id, { id: stranger.id });
  expect(await open()).toEqual([true, true, true, true]);
  await endSessions(db, own.userId, own.id, { id: others[0]?.id ?? "" });
  expect(await open()).toEqual([true, true, false, true]);
  await endSessions(db, own.userId, own.id, "others");
  expect(await open()).toEqual([true, true, false, false]);
});
