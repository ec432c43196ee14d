import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { confirmPlace } from "./confirm.server.ts";
import { CONFIG, createMembers } from "./members.fixture.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

async function confirmedOf(members: { id: string }[]): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    "SELECT id FROM waitlist WHERE ticket IS NOT NULL AND id = ANY ($1)",
    [members.map(({ id }) => id)],
  );
  return rows.map(({ id }) => id);
}

test("places confirmed at once, one of them twice, get one ticket and one mail each", async () => {
  const members = await createMembers(database.pool, 20, false);
  await Promise.all([...members, members[7]].map((one) => confirmPlace(database.db, CONFIG, one?.id ?? "")));
  expect(await confirmedOf(members)).toHaveLength(20);
  const { rows } = await database.pool.query(
    "SELECT count(*)::int AS mails, count(DISTINCT recipient)::int AS people FROM mails WHERE recipient = ANY ($1)",
    [members.map(({ email }) => email)],
  );
  expect(rows).toEqual([{ mails: 20, people: 20 }]);
});

test("a place that somebody else holds keeps none of the others waiting, and is confirmed in the end", async () => {
  const members = await createMembers(database.pool, 8, false);
  const [held, ...others] = members.toReversed();
  const client = await database.pool.connect();
  await client.query("BEGIN");
  await client.query("SELECT FROM waitlist WHERE id = $1 FOR UPDATE", [held?.id]);
  const waiting = confirmPlace(database.db, CONFIG, held?.id ?? "");
  await Promise.all(others.map(({ id }) => confirmPlace(database.db, CONFIG, id)));
  expect((await confirmedOf(members)).toSorted()).toEqual(others.map(({ id }) => id).toSorted());
  await client.query("COMMIT");
  client.release();
  await waiting;
  expect(await confirmedOf(members)).toHaveLength(8);
});
