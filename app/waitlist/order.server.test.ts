import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { Pool } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createDatabase, openDatabase } from "../../test/database.ts";
import { pick, rollDice } from "../../test/dice.ts";
import { COMMAND_LINE } from "../audit/record-change.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { applyMigrations } from "../db/migrate.server.ts";
import { readMigrations, writeMigrations } from "../db/migrations-folder.fixture.ts";
import { confirmPlace } from "./confirm.server.ts";
import { inviteNext } from "./invite.server.ts";
import { createReferralCode } from "./join.server.ts";
import { leaveWaitlist } from "./leave.server.ts";
import { INVITE_ANYWAY } from "./limits.ts";
import { CONFIG } from "./members.fixture.ts";
import { countFriendsOfBefore, readNumbers, readQueued, readTopReferrers } from "./order.server.ts";
import { findPlace } from "./place.server.ts";
import { PLACES_PER_FRIEND } from "./rules.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(() => database.pool.query("TRUNCATE waitlist, waitlist_invitations"));

afterAll(() => database.close());

const INSERT = `INSERT INTO waitlist (id, email, referral_code, referred_by, confirm_by)
  VALUES ($1, $1 || '@example.com', $2, $3, now() + interval '1 day')`;

/** A member who has asked for a place. */
async function ask(referredBy: string | null = null): Promise<string> {
  const id = randomUUID();
  await database.pool.query(INSERT, [id, createReferralCode(), referredBy]);
  return id;
}

/** A confirmed member. */
async function join(referredBy: string | null = null): Promise<string> {
  const id = await ask(referredBy);
  await confirmPlace(database.db, CONFIG, id);
  return id;
}

async function joinMany(count: number): Promise<string[]> {
  const ids = [];
  for (let index = 0; index < count; index++) ids.push(await join());
  return ids;
}

const leave = (id: string) => leaveWaitlist(database.db, [id]);

const invite = (count: number) =>
  inviteNext(
    { db: database.db, config: { mail: { mode: "sandbox", from: "" } } },
    COMMAND_LINE,
    randomUUID(),
    {
      count,
      tier: "basic",
      months: 1,
      last_day: undefined,
      confirm: INVITE_ANYWAY,
    },
  );

const numbersOf = async (ids: readonly string[]) => {
  const numbers = await readNumbers(database.db, ids);
  return ids.map((id) => numbers.get(id));
};

const queue = async () => (await readQueued(database.db, 0, 10_000)).map(({ id }) => id);

/** The old way of finding a number, which processes of the version before still have. */
async function numbersOfBefore(pool: Pool = database.pool) {
  const { rows } = await pool.query(
    "SELECT id, waitlist_number(ticket)::int AS number FROM waitlist WHERE ticket IS NOT NULL ORDER BY number, id",
  );
  return new Map<string, number>(rows.filter(({ number }) => number).map(({ id, number }) => [id, number]));
}

test("places are the order of confirming, from 1; who has not confirmed has none", async () => {
  const waiting = await ask();
  const members = await joinMany(4);
  expect(await numbersOf([...members, waiting])).toEqual([1, 2, 3, 4, undefined]);
  expect(await findPlace(database.db, waiting)).toBeNull();
});

test("a friend who confirms moves one up by exactly five; one who only waits by none", async () => {
  const members = await joinMany(12);
  const [last = ""] = members.slice(-1);
  await ask(last);
  expect(await numbersOf([last])).toEqual([12]);
  const friend = await join(last);
  expect(await numbersOf([...members, friend])).toEqual([1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 7, 13]);
  await join(last);
  expect(await numbersOf([last])).toEqual([2]);
  await join(last);
  expect(await findPlace(database.db, last)).toMatchObject({ number: 1, friends: 3 });
  expect(await readTopReferrers(database.db, 2)).toMatchObject([{ id: last, friends: 3, number: 1 }]);
});

test("it is five places still when many in between have left, and among those whom friends moved", async () => {
  const members = await joinMany(30);
  const [last = ""] = members.slice(-1);
  for (const member of members.slice(10, 29)) await leave(member);
  expect(await numbersOf([last])).toEqual([11]);
  await join(last);
  expect(await numbersOf([last])).toEqual([6]);
  for (const member of members.slice(3, 10)) {
    const [before = 0] = await numbersOf([member]);
    await join(member);
    expect(await numbersOf([member])).toEqual([Math.max(1, before - PLACES_PER_FRIEND)]);
  }
});

test("a friend who leaves takes back what they gave; when the one who brought them leaves, the friend stays", async () => {
  const [, , , , , , bringer = ""] = await joinMany(7);
  const [first, second] = [await join(bringer), await join(bringer)];
  expect(await numbersOf([bringer, first, second])).toEqual([1, 8, 9]);
  // Of no use: a stranger who comes by this link and leaves again takes nothing.
  await leave(await join(bringer));
  expect(await numbersOf([bringer])).toEqual([1]);
  await leave(second);
  expect(await numbersOf([bringer, first])).toEqual([2, 8]);
  await leave(first);
  expect(await numbersOf([bringer])).toEqual([7]);
  const third = await join(bringer);
  await leave(bringer);
  expect(await numbersOf([third])).toEqual([7]);
});

/** The rule as plainly as it can be written, in time that grows with the list. */
function createModel() {
  const order: string[] = [];
  const gifts = new Map<string, { to: string | null; places: number }>();
  const move = (id: string, places: number): number => {
    const from = order.indexOf(id);
    if (from < 0) return 0;
    const to = Math.min(order.length - 1, Math.max(0, from - places));
    order.splice(from, 1);
    order.splice(to, 0, id);
    return from - to;
  };
  const remove = (id: string) => order.includes(id) && order.splice(order.indexOf(id), 1);
  return {
    order,
    join(id: string, to: string | null) {
      order.push(id);
      gifts.set(id, { to, places: to ? move(to, PLACES_PER_FRIEND) : 0 });
    },
    leave(id: string) {
      remove(id);
      const { to, places } = gifts.get(id) ?? { to: null, places: 0 };
      if (to) move(to, -places);
      for (const gift of gifts.values()) if (gift.to === id) gift.to = null;
    },
    invite: (count: number) => order.splice(0, count),
  };
}

test.each([1, 2, 3])("after a history at random the order is that of the rule played: %d", async (seed) => {
  const dice = rollDice(seed);
  const model = createModel();
  const members: string[] = [];
  for (let event = 0; event < 120; event++) {
    const chance = dice();
    if (chance < 0.15 && members.length > 0) {
      const [id = ""] = members.splice(Math.floor(dice() * members.length), 1);
      await leave(id);
      model.leave(id);
    } else if (chance < 0.2 && model.order.length > 0) {
      const count = 1 + Math.floor(dice() * 4);
      await invite(count);
      model.invite(count);
    } else {
      // Half of all friends are those of a few.
      const referrers = dice() < 0.5 ? members.slice(0, 3) : members;
      const referrer = dice() < 0.7 && referrers.length > 0 ? pick(dice, referrers) : null;
      const id = await join(referrer);
      members.push(id);
      model.join(id, referrer);
    }
  }
  expect(await queue()).toEqual(model.order);
  expect(await numbersOf(model.order)).toEqual(model.order.map((_, index) => index + 1));
  expect(await findViolations(database.pool)).toEqual([]);
});

test("changed by twelve at once, nobody is refused or waits for ever, and each number is given once", async () => {
  // Those of the version before let only one transaction at a time change the list.
  await database.pool.query("ALTER TABLE waitlist DISABLE TRIGGER USER");
  const dice = rollDice(7);
  const members = await joinMany(30);
  const bringers = members.splice(0, 12);
  const someone = async () => {
    const chance = dice();
    const [leaving] = chance < 0.2 ? members.splice(Math.floor(dice() * members.length), 1) : [];
    if (leaving) return leave(leaving);
    if (chance < 0.22) return invite(2);
    // Referred by one of a few, or by a member who may be leaving.
    const referrers = chance < 0.6 ? bringers : chance < 0.8 ? members : [null];
    const id = await ask(pick(dice, referrers)).catch((error) => {
      if (!/foreign key/.test(String(error))) throw error;
    });
    if (!id) return;
    members.push(id);
    await confirmPlace(database.db, CONFIG, id);
  };
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let time = 0; time < 18; time++) await someone();
    }),
  );
  await database.pool.query("ALTER TABLE waitlist ENABLE TRIGGER USER");
  const order = await queue();
  expect(await numbersOf(order)).toEqual(order.map((_, index) => index + 1));
  expect(await findViolations(database.pool)).toEqual([]);
});

test("a friend and the one who brought them, who leaves, do not wait for each other", async () => {
  const bringers = await joinMany(12);
  const friends = await Promise.all(bringers.map((bringer) => ask(bringer)));
  await Promise.all([
    ...friends.map((friend) => confirmPlace(database.db, CONFIG, friend)),
    ...bringers.map((bringer) => leave(bringer)),
  ]);
  expect((await queue()).toSorted()).toEqual(friends.toSorted());
});

test("both versions show the same numbers while processes are replaced, whichever of them writes", async () => {
  const members = await joinMany(12);
  /** As the version before confirms. */
  const confirmAsBefore = async (id: string) =>
    database.pool.query(
      "UPDATE waitlist SET confirmed_at = now(), ticket = nextval('waitlist_ticket') WHERE id = $1",
      [id],
    );
  await join(members[10]);
  await confirmAsBefore(await ask(members[11]));
  await countFriendsOfBefore(database.db);
  await confirmAsBefore(await ask());
  await join(members[8]);
  await leave(members[4] ?? "");
  await database.pool.query("DELETE FROM waitlist WHERE id = $1", [members[5]]);
  await invite(2);
  const order = await queue();
  expect(order).toHaveLength(12 + 4 - 2 - 2);
  expect([...(await numbersOfBefore())]).toEqual(order.map((id, index) => [id, index + 1]));
  expect(await findViolations(database.pool)).toEqual([]);
});

test("an upgrade keeps each member's number, and takes over what friends gave", async () => {
  const { url, drop } = await createDatabase();
  const folder = writeMigrations(readMigrations().filter(({ tag }) => tag < "0031"));
  await applyMigrations(url, { folder });
  rmSync(folder, { recursive: true });
  const pool = new Pool({ connectionString: url, max: 1 });
  for (let ticket = 1; ticket <= 40; ticket++)
    await pool.query(
      `INSERT INTO waitlist (id, email, referral_code, referred_by, confirm_by, confirmed_at, ticket)
       VALUES ($1, $1 || '@example.com', $2, $3, now(), now(), $1::bigint)`,
      [ticket, createReferralCode(), ticket % 3 === 0 ? ticket / 3 : null],
    );
  await pool.query("DELETE FROM waitlist WHERE id IN ('7', '12')");
  const before = await numbersOfBefore(pool);
  await applyMigrations(url);
  const { rows } = await pool.query(
    "SELECT id FROM waitlist WHERE invitation_id IS NULL ORDER BY queue_position",
  );
  expect(rows.map(({ id }) => id)).toEqual([...before.keys()]);
  const { rows: given } = await pool.query(
    "SELECT places_given FROM waitlist WHERE id IN ('3', '39') ORDER BY id",
  );
  // The friend of the first gave nothing.
  expect(given).toEqual([{ places_given: 0 }, { places_given: 5 }]);
  expect(await findViolations(pool)).toEqual([]);
  await pool.end();
  await drop();
});
