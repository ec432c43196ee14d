import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createSignedInUser } from "../../test/users.ts";
import { createSecretToken, hashSecret } from "../http/secret-token.server.ts";
import { confirmPlace } from "./confirm.server.ts";
import { createReferralCode, joinWaitlist } from "./join.server.ts";
import { leaveWaitlist } from "./leave.server.ts";
import { CONFIG } from "./members.fixture.ts";
import { hashPlainTokens, placeToken, readPlaceLink } from "./place-token.server.ts";

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
  await leaveWaitlist(database.db, [id]);
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
    await leaveWaitlist(database.db, [(await member(email)).id]);
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

const read = (token: string) =>
  readPlaceLink(new Request(`https://own.example/waitlist/place?token=${token}`), {
    db: database.db,
    config: CONFIG,
  });

test("tokens of before are hashed once every process has been of this version for an hour, and their links go on", async () => {
  const tokens = Array.from({ length: 1_500 }, createSecretToken);
  await database.pool.query(
    `INSERT INTO waitlist (id, email, token, referral_code, confirm_by)
     SELECT 'id of ' || token, lower(token) || '@example.com', token, code, now() + interval '1 day'
     FROM unnest($1::text[], $2::text[]) AS old (token, code)`,
    [tokens, tokens.map(createReferralCode)],
  );
  const plain = async () =>
    (await database.pool.query("SELECT FROM waitlist WHERE token IS NOT NULL OR token_hash IS NULL"))
      .rowCount;
  const sweep = () => hashPlainTokens(database.db, "2.0.0", () => false);

  await database.pool.query(
    `INSERT INTO processes (id, role, version, host, started_at) VALUES
      ('ours', 'all', '2.0.0', 'a', now() - interval '2 hours'), ('theirs', 'all', '1.0.0', 'b', now() - interval '9 days')`,
  );
  await sweep();
  expect(await plain()).toBe(1_500);
  await database.pool.query("UPDATE processes SET version = '2.0.0', started_at = now() WHERE id = 'theirs'");
  await sweep();
  expect(await plain()).toBe(1_500);
  await database.pool.query(
    "UPDATE processes SET started_at = now() - interval '61 minutes' WHERE id = 'theirs'",
  );
  await sweep();
  expect(await plain()).toBe(0);

  const [token = ""] = tokens;
  const { rows } = await database.pool.query("SELECT token_hash FROM waitlist WHERE id = $1", [
    `id of ${token}`,
  ]);
  expect(rows).toEqual([{ token_hash: hashSecret(token) }]);
  expect(await read(token)).toEqual({ token, id: `id of ${token}` });
  expect(await read(hashSecret(token))).toEqual({ token: hashSecret(token), id: null });
});

test("who leaves takes along what waits for them, whichever links it has; nobody else's mail, and none but the list's", async () => {
  for (const email of ["leaves@example.com", "stays@example.com"]) await join(email);
  const others = [
    {
      to: "leaves@example.com",
      subject: "of before",
      leaveUrl: "https://own.example/waitlist/leave?token=old",
    },
    { to: "leaves@example.com", subject: "of their account" },
  ];
  for (const mail of others)
    await database.pool.query("INSERT INTO outbox (kind, payload) VALUES ('send_mail', $1)", [mail]);
  const { rows } = await database.pool.query("SELECT id FROM waitlist WHERE email = 'leaves@example.com'");
  await leaveWaitlist(database.db, [rows[0].id]);
  const left = await database.pool.query(
    "SELECT payload ->> 'to' AS to, payload ->> 'subject' AS subject FROM outbox ORDER BY id",
  );
  expect(left.rows).toEqual([
    { to: "stays@example.com", subject: "Confirm your place on the Own waitlist" },
    { to: "leaves@example.com", subject: "of their account" },
  ]);
  // That the link is ours is known without a place: its page can say that they have left.
  expect(await read(placeToken("0".repeat(36), CONFIG))).toMatchObject({ id: "0".repeat(36) });
});
