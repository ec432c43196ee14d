import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { createReferralCode } from "./codes.server.ts";
import { leaveWaitlist } from "./leave.server.ts";
import { findPlace } from "./place.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(async () => {
  await database.pool.query("TRUNCATE waitlist");
});

afterAll(() => database.close());

interface Member {
  id: string;
}

async function add(referredBy: Member | null = null, isConfirmed = true): Promise<Member> {
  const member = { id: randomUUID() };
  await database.pool.query(
    `INSERT INTO waitlist (id, email, referral_code, referred_by, confirm_by, confirmed_at, ticket)
     VALUES ($1, $1 || '@example.com', $2, $3, now() + interval '1 day',
       CASE WHEN $4 THEN now() END, CASE WHEN $4 THEN nextval('waitlist_ticket') END)`,
    [member.id, createReferralCode(), referredBy?.id, isConfirmed],
  );
  return member;
}

async function addMany(count: number): Promise<Member[]> {
  const members = [];
  for (let index = 0; index < count; index++) members.push(await add());
  return members;
}

async function place(id: string) {
  const found = await findPlace(database.db, id);
  return found?.isInvited ? undefined : found;
}

const numbersOf = (members: Member[]) =>
  Promise.all(members.map(async ({ id }) => (await place(id))?.number));

test("places are the order of confirming, from 1; who has not confirmed has none", async () => {
  const waiting = await add(null, false);
  const members = await addMany(4);
  expect(await numbersOf([...members, waiting])).toEqual([1, 2, 3, 4, undefined]);
});

test("a friend who confirms moves one up by exactly five; one who only waits by none", async () => {
  const members = await addMany(12);
  const last = members.slice(-1);
  await add(last[0], false);
  expect(await numbersOf(last)).toEqual([12]);
  const friend = await add(last[0]);
  expect(await numbersOf([...members, friend])).toEqual([1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 7, 13]);
  await add(last[0]);
  expect(await numbersOf(last)).toEqual([2]);
  await add(last[0]);
  expect(await numbersOf(last)).toEqual([1]);
  expect(await place(last[0]?.id ?? "")).toMatchObject({ friends: 3 });
});

test("it is five places still when many in between have left", async () => {
  const members = await addMany(30);
  const last = members.slice(-1);
  for (const member of members.slice(10, 29)) await leaveWaitlist(database.db, member.id);
  expect(await numbersOf(last)).toEqual([11]);
  await add(last[0]);
  expect(await numbersOf(last)).toEqual([6]);
});

test("a friend who leaves counts no more; when the one who brought them leaves, the friend stays", async () => {
  const [, , , , , , bringer] = await addMany(7);
  const [friend, other] = [await add(bringer), await add(bringer)];
  expect(await numbersOf([bringer ?? other, friend, other])).toEqual([1, 8, 9]);
  await leaveWaitlist(database.db, friend.id);
  expect(await numbersOf([bringer ?? other, friend, other])).toEqual([2, undefined, 8]);
  await leaveWaitlist(database.db, bringer?.id ?? "");
  expect(await numbersOf([other])).toEqual([7]);
});

test("every number is given once, whatever the referrals", async () => {
  const members = await addMany(5);
  for (let index = 0; index < 60; index++) members.push(await add(members[(index * 7) % members.length]));
  expect((await numbersOf(members)).toSorted((a = 0, b = 0) => a - b)).toEqual(members.map((_, i) => i + 1));
});
