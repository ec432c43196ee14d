import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createSecretToken, hashSecret } from "../http/secret-token.server.ts";
import { createReferralCode } from "./codes.server.ts";
import { joinWaitlist } from "./join.server.ts";
import { leaveWaitlist } from "./leave.server.ts";
import { CONFIG } from "./members.fixture.ts";
import { hashPlainTokens, placeToken, readPlaceLink } from "./place-token.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

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
  for (const email of ["leaves@example.com", "stays@example.com"])
    await joinWaitlist(database.db, CONFIG, { email });
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
  await leaveWaitlist(database.db, rows[0].id);
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
