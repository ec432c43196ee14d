import { expect, test } from "vitest";
import { sharedDatabase } from "../../test/database.fixture.ts";
import { createSignedInUser } from "../../test/users.ts";
import { createSession, findAndRenewSession } from "./sessions.server.ts";

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
