import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase, statementsOf } from "../../test/database.ts";
import { confirmPlace, readPlaceState } from "./confirm.server.ts";
import { joinWaitlist } from "./join.server.ts";
import { deleteUnconfirmed } from "./leave.server.ts";
import { CONFIG, createMembers } from "./members.fixture.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(async () => {
  await database.pool.query("TRUNCATE waitlist, outbox, mails");
});

afterAll(() => database.close());

const join = (email: string, more: { name?: string; uses_today?: string; ref?: string } = {}) =>
  joinWaitlist(database.db, CONFIG, { email, ...more });

async function row(email: string) {
  const { rows } = await database.pool.query(
    `SELECT *, round(extract(epoch FROM confirm_by - now()) / 86400)::int AS days_left FROM waitlist WHERE email = $1`,
    [email],
  );
  return rows[0];
}

async function confirm(email: string) {
  await confirmPlace(database.db, CONFIG, (await row(email)).id);
}

async function subjects(): Promise<string[]> {
  const { rows } = await database.pool.query(
    "SELECT payload ->> 'subject' AS subject FROM outbox ORDER BY id",
  );
  return rows.map(({ subject }) => subject);
}

const age = (column: string, by: string) =>
  database.pool.query(`UPDATE waitlist SET ${column} = ${column} - $1::interval`, [by]);

test("an address waits, whatever its case, with seven days to confirm", async () => {
  await join("Ada@Example.COM", { name: "Ada", uses_today: "A notebook" });
  expect(await row("ada@example.com")).toMatchObject({
    name: "Ada",
    uses_today: "A notebook",
    confirmed_at: null,
    ticket: null,
    sends: 1,
    days_left: 7,
  });
  await join("ada@EXAMPLE.com");
  expect(await row("ada@example.com")).toMatchObject({ name: "Ada", sends: 2 });
  expect(await subjects()).toEqual(Array(2).fill("Confirm your place on the Own waitlist"));
});

test("while it waits the latest words count, and the first friend; once confirmed nobody changes anything", async () => {
  for (const friend of ["one@example.com", "two@example.com"]) {
    await join(friend);
    await confirm(friend);
  }
  const [one, two] = [await row("one@example.com"), await row("two@example.com")];
  await join("ada@example.com", { name: "Ada", ref: one.referral_code });
  await join("ada@example.com", { name: "Ada Lovelace", uses_today: "Cards", ref: two.referral_code });
  const words = { name: "Ada Lovelace", uses_today: "Cards", referred_by: one.id };
  expect(await row("ada@example.com")).toMatchObject(words);
  await confirm("ada@example.com");
  await join("ada@example.com", { name: "Mallory", uses_today: "Hers", ref: two.referral_code });
  expect(await row("ada@example.com")).toMatchObject(words);
});

test("a code that nobody has, or whose owner has not confirmed, brings nobody", async () => {
  await join("waits@example.com");
  await join("ada@example.com", { ref: (await row("waits@example.com")).referral_code });
  await join("bob@example.com", { ref: "2222222222" });
  expect((await row("ada@example.com")).referred_by).toBeNull();
  expect((await row("bob@example.com")).referred_by).toBeNull();
});

// How long that takes is measured by `npm run soak -- answer-times`.
test("a new address, one that waits and one that is confirmed cost the same statements", async () => {
  await join("waits@example.com");
  await join("member@example.com");
  await confirm("member@example.com");
  const [ofNew, ...others] = await Promise.all(
    ["new@example.com", "waits@example.com", "member@example.com"].map((email) =>
      statementsOf(database.url, (db) => joinWaitlist(db, CONFIG, { email })),
    ),
  );
  expect(ofNew?.length).toBeGreaterThan(0);
  for (const statements of others) expect(statements).toEqual(ofNew);
});

test("a member's own referral link moves them up by nothing", async () => {
  await join("ada@example.com");
  const { referral_code: ref } = await row("ada@example.com");
  await join("ada@example.com", { ref });
  await confirm("ada@example.com");
  await join("ada@example.com", { ref });
  expect((await row("ada@example.com")).referred_by).toBeNull();
});

test("four mails at most until a day has passed without one, of whatever kind", async () => {
  await join("ada@example.com");
  await confirm("ada@example.com");
  for (let time = 0; time < 5; time++) await join("ada@example.com");
  expect(await subjects()).toEqual([
    "Confirm your place on the Own waitlist",
    "You’re on the Own waitlist",
    "You’re already on the Own waitlist",
    "You’re already on the Own waitlist",
  ]);
  await age("sent_at", "23 hours 59 minutes");
  await join("ada@example.com");
  expect(await subjects()).toHaveLength(4);
  await age("sent_at", "1 minute");
  for (let time = 0; time < 5; time++) await join("ada@example.com");
  expect(await subjects()).toHaveLength(8);
});

test("who spent all mails on asking is welcomed all the same", async () => {
  for (let time = 0; time < 6; time++) await join("ada@example.com");
  await confirm("ada@example.com");
  expect((await subjects()).slice(3)).toEqual([
    "Confirm your place on the Own waitlist",
    "You’re on the Own waitlist",
  ]);
});

test("an unconfirmed place ends after seven days and is swept; a mail starts them anew; a confirmed one stays", async () => {
  await join("member@example.com");
  await confirm("member@example.com");
  await join("ada@example.com");
  const { id } = await row("ada@example.com");
  await age("confirm_by", "6 days");
  await join("ada@example.com");
  expect((await row("ada@example.com")).days_left).toBe(7);

  await age("confirm_by", "7 days");
  expect(await readPlaceState(database.db, id)).toBe("expired");
  await confirm("ada@example.com");
  expect(await readPlaceState(database.db, id)).toBe("expired");
  await join("ada@example.com");
  expect(await readPlaceState(database.db, id)).toBe("waiting");

  await age("confirm_by", "7 days");
  await deleteUnconfirmed(database.db);
  expect(await readPlaceState(database.db, id)).toBe("unknown");
  expect(await row("member@example.com")).toMatchObject({ sends: 2 });
});

test("another spelling of a member's own mailbox moves nobody up, and two spellings of a friend's are one friend", async () => {
  await join("ada.l@gmail.com");
  await confirm("ada.l@gmail.com");
  const { referral_code: ref } = await row("ada.l@gmail.com");
  for (const own of ["adal@gmail.com", "ada.l+2@gmail.com", "A.D.A.L+x@googlemail.com"]) {
    await join(own, { ref });
    expect([own, (await row(own.toLowerCase())).referred_by]).toEqual([own, null]);
  }
  const friends = [
    "bob@example.com",
    "bob+1@example.com",
    "BOB+2@example.com",
    "b.ob@example.com",
    "rob@example.com",
  ];
  for (const friend of friends) await join(friend, { ref });
  const brought = await database.pool.query(
    "SELECT email FROM waitlist WHERE referred_by IS NOT NULL ORDER BY email",
  );
  expect(brought.rows.map(({ email }) => email)).toEqual([
    "b.ob@example.com",
    "bob@example.com",
    "rob@example.com",
  ]);
  // Asked again, the one who came keeps their friend.
  await join("bob@example.com", { ref });
  expect((await row("bob@example.com")).referred_by).not.toBeNull();
});

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

test("a place locked by another transaction keeps no other waiting, and is confirmed in the end", async () => {
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
