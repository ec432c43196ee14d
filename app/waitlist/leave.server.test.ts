import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createSignedInUser } from "../../test/users.ts";
import { confirmPlace } from "./confirm.server.ts";
import { joinWaitlist } from "./join.server.ts";
import { leaveWaitlist } from "./leave.server.ts";
import { CONFIG } from "./members.fixture.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(() => database.pool.query("TRUNCATE waitlist, outbox"));

afterAll(() => database.close());

const join = (email: string, ref?: string) => joinWaitlist(database.db, CONFIG, { email, ref });

async function member(email: string) {
  const { rows } = await database.pool.query("SELECT * FROM waitlist WHERE email = $1", [email]);
  return rows[0];
}

async function waitingMails() {
  const { rows } = await database.pool.query(
    "SELECT payload ->> 'to' AS to FROM outbox WHERE done_at IS NULL",
  );
  return rows.map(({ to }) => to);
}

test("who leaves gets no more mail, not even what was on its way; others get theirs", async () => {
  await join("leaves@example.com");
  await join("stays@example.com");
  const { id } = await member("leaves@example.com");
  await confirmPlace(database.db, CONFIG, id);
  expect(await waitingMails()).toEqual(["leaves@example.com", "stays@example.com", "leaves@example.com"]);
  await leaveWaitlist(database.db, id);
  expect(await waitingMails()).toEqual(["stays@example.com"]);
  expect(await member("leaves@example.com")).toBeUndefined();
});

test("who leaves is gone from the operator's list of mails as well, unless they have an account", async () => {
  const listed = async () =>
    (await database.pool.query("SELECT DISTINCT recipient FROM mails ORDER BY 1")).rows.map(
      ({ recipient }) => recipient,
    );
  await database.pool.query("TRUNCATE mails");
  const { id } = await createSignedInUser(database.pool);
  await database.pool.query(`UPDATE "user" SET email = 'has-account@example.com' WHERE id = $1`, [id]);
  for (const email of ["has-account@example.com", "leaves@example.com", "stays@example.com"]) {
    await join(email);
    if (email.startsWith("stays")) continue;
    await leaveWaitlist(database.db, (await member(email)).id);
  }
  expect(await listed()).toEqual(["has-account@example.com", "stays@example.com"]);
});

test("a friend who joins while the one who brought them is leaving is on the list all the same", async () => {
  await join("bringer@example.com");
  const { id, referral_code: code } = await member("bringer@example.com");
  await confirmPlace(database.db, CONFIG, id);
  const leaving = await database.pool.connect();
  await leaving.query("BEGIN");
  await leaving.query("DELETE FROM waitlist WHERE id = $1", [id]);
  const joining = join("friend@example.com", code);
  await expect
    .poll(async () => {
      const { rows } = await database.pool.query(
        "SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted",
      );
      return rows[0].waiting;
    })
    .toBeGreaterThan(0);
  await leaving.query("COMMIT");
  leaving.release();
  await joining;
  expect(await member("friend@example.com")).toMatchObject({ referred_by: null });
});
