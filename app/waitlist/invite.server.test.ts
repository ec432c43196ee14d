import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { COMMAND_LINE } from "../audit/record-change.server.ts";
import { confirmPlace } from "./confirm.server.ts";
import { inviteNext } from "./invite.server.ts";
import { SEND_INVITATIONS, sendInvitations } from "./invite-job.server.ts";
import { leaveWaitlist } from "./leave.server.ts";
import { INVITE_ANYWAY } from "./limits.ts";
import { CONFIG, createMembers } from "./members.fixture.ts";
import { findPlace } from "./place.server.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(() => database.pool.query("TRUNCATE waitlist, waitlist_invitations, promo_codes, outbox CASCADE"));

afterAll(() => database.close());

const TERMS = { tier: "premium", months: 1, last_day: "2999-01-31", confirm: INVITE_ANYWAY } as const;

const app = () => ({ db: database.db, config: { ...CONFIG, mail: { mode: "sandbox", from: "" } as const } });

const invite = (count: number, id = randomUUID()) => inviteNext(app(), COMMAND_LINE, id, { count, ...TERMS });

async function rowsOf(query: string, values: unknown[] = []) {
  return (await database.pool.query(query, values)).rows;
}

/** The addresses that were picked, in order. */
const picked = async () =>
  (
    await rowsOf(
      `SELECT email FROM waitlist JOIN waitlist_invitations AS i ON i.id = invitation_id
       ORDER BY i.created_at, invitation_position`,
    )
  ).map(({ email }) => email);

const invitationMails = async () =>
  (
    await rowsOf(
      `SELECT payload ->> 'to' AS to, payload ->> 'text' AS text FROM outbox
       WHERE kind = 'send_mail' AND payload ->> 'subject' LIKE 'It’s your turn%'`,
    )
  ).map(({ to, text }) => ({ to, code: /Your code: (\S+)/.exec(text)?.[1] }));

const writeTo = (id: string, isStopping = () => false) =>
  sendInvitations(app(), { invitationId: id }, isStopping);

/** Does work while mail goes out as soon as it is queued: no longer due, but still there to be looked at. */
async function whileMailGoesOut(work: Promise<unknown>) {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) await database.pool.query("UPDATE outbox SET run_at = 'infinity' WHERE run_at <= now()");
  await done;
}

const numberOf = async (id: string) => {
  const place = await findPlace(database.db, id);
  return place?.isInvited ? "invited" : place?.number;
};

test("the first of the list are picked in its order; the others move up by as many", async () => {
  const members = await createMembers(database.pool, 11, true);
  const [friend] = await createMembers(database.pool, 3, false);
  // The one before the last brought a friend, and so is sixth.
  await database.pool.query("UPDATE waitlist SET referred_by = $1 WHERE id = $2", [
    members[10]?.id,
    friend?.id,
  ]);
  await confirmPlace(database.db, CONFIG, friend?.id ?? "");
  const expected = [0, 1, 2, 3, 4, 10].map((index) => members[index]?.email);
  expect(await invite(6)).toEqual({ ok: true, size: 6 });
  expect(await picked()).toEqual(expected);
  expect(await numberOf(members[5]?.id ?? "")).toBe(1);
  expect(await numberOf(friend?.id ?? "")).toBe(6);
  expect(await numberOf(members[0]?.id ?? "")).toBe("invited");
  const [entry] = await rowsOf("SELECT actor, action, after FROM audit_log ORDER BY id DESC LIMIT 1");
  expect(entry).toMatchObject({ actor: "npm run ops", action: "waitlist.invited", after: { people: 6 } });
  expect(JSON.stringify(entry)).not.toContain("@example.com");
});

test("an invitation takes as many as wait, and none when the list is empty", async () => {
  await createMembers(database.pool, 3, true);
  expect(await invite(50)).toEqual({ ok: true, size: 3 });
  expect(await invite(50)).toMatchObject({ ok: false, status: 409 });
  expect(await rowsOf("SELECT size FROM waitlist_invitations")).toEqual([{ size: 3 }]);
});

test("without mail no invitations are made", async () => {
  await createMembers(database.pool, 1, true);
  const config = { mail: { mode: "off", reason: "none" } as const };
  const answer = await inviteNext({ db: database.db, config }, COMMAND_LINE, "1", { count: 1, ...TERMS });
  expect(answer).toMatchObject({ ok: false, status: 503 });
  expect(await picked()).toEqual([]);
});

test("pressed twice, once more and at the same moment, it invites once; two operators get different people", async () => {
  await createMembers(database.pool, 40, true);
  const id = randomUUID();
  const answers = await Promise.all([invite(10, id), invite(10, id), invite(10), invite(10)]);
  answers.push(await invite(10, id));
  expect(answers).toEqual(Array(5).fill({ ok: true, size: 10 }));
  const everybody = await picked();
  expect(everybody).toHaveLength(30);
  expect(new Set(everybody).size).toBe(30);
  expect(
    await rowsOf("SELECT count(*)::int AS jobs FROM outbox WHERE kind = $1", [SEND_INVITATIONS.name]),
  ).toEqual([{ jobs: 3 }]);
});

test("each gets one code of their own by mail, however often and however many at once the job runs", async () => {
  const members = await createMembers(database.pool, 250, true);
  const id = randomUUID();
  await invite(250, id);
  await whileMailGoesOut(Promise.all([writeTo(id), writeTo(id), writeTo(id)]));
  await writeTo(id);
  const mails = await invitationMails();
  expect(mails.map(({ to }) => to).toSorted()).toEqual(members.map(({ email }) => email).toSorted());
  const codes = await rowsOf(
    "SELECT code, tier, max_uses, duration_type, duration_months, expires_at FROM promo_codes",
  );
  expect(codes).toHaveLength(250);
  expect(codes[0]).toMatchObject({
    tier: "premium",
    max_uses: 1,
    duration_type: "months",
    duration_months: 1,
    expires_at: new Date("2999-02-01"),
  });
  const given = await rowsOf(
    "SELECT email AS to, promo_code AS code FROM waitlist WHERE invited_at IS NOT NULL",
  );
  expect(mails).toEqual(expect.arrayContaining(given));
  expect(given).toHaveLength(250);
  expect(await rowsOf("SELECT finished_at IS NOT NULL AS done FROM waitlist_invitations")).toEqual([
    { done: true },
  ]);
});

test("no more than a few mails wait at a time, and a process that ends leaves the rest to the next one", async () => {
  await createMembers(database.pool, 250, true);
  const id = randomUUID();
  await invite(250, id);
  await database.pool.query("DELETE FROM outbox");
  let looks = 0;
  await writeTo(id, () => ++looks > 5);
  expect(await invitationMails()).toHaveLength(100);
  expect(await rowsOf("SELECT payload FROM outbox WHERE kind = $1", [SEND_INVITATIONS.name])).toEqual([
    { payload: { invitationId: id } },
  ]);
});

test("who leaves between being picked and being written to gets nothing; somebody leaving does not hold up the rest", async () => {
  const members = await createMembers(database.pool, 5, true);
  const id = randomUUID();
  await invite(5, id);
  await leaveWaitlist(database.db, [members[1]?.id ?? ""]);
  const leaving = await database.pool.connect();
  await leaving.query("BEGIN");
  await leaving.query("DELETE FROM waitlist WHERE id = $1", [members[2]?.id]);
  const writing = writeTo(id);
  await expect.poll(async () => (await invitationMails()).length).toBe(3);
  await leaving.query("COMMIT");
  leaving.release();
  await writing;
  expect((await invitationMails()).map(({ to }) => to)).toEqual(
    [0, 3, 4].map((index) => members[index]?.email),
  );
});

test("who leaves after that takes the waiting mail along; the code stays good for whoever read it", async () => {
  const [member] = await createMembers(database.pool, 1, true);
  const id = randomUUID();
  await invite(1, id);
  await writeTo(id);
  await leaveWaitlist(database.db, [member?.id ?? ""]);
  expect(await invitationMails()).toEqual([]);
  expect(await rowsOf("SELECT active, used_count FROM promo_codes")).toEqual([
    { active: true, used_count: 0 },
  ]);
});

test("a place says what its code is worth: on its way, good, used, ended", async () => {
  const [member] = await createMembers(database.pool, 1, true);
  const place = () => findPlace(database.db, member?.id ?? "");
  const id = randomUUID();
  await invite(1, id);
  expect(await place()).toMatchObject({ isInvited: true, code: null });
  await writeTo(id);
  expect(await place()).toMatchObject({
    code: expect.stringMatching(/^(\w{4}-){4}\w{4}$/),
    state: "good",
    terms: { tier: "premium", durationMonths: 1, expiresAt: new Date("2999-02-01") },
  });
  await database.pool.query("UPDATE promo_codes SET active = false");
  expect(await place()).toMatchObject({ state: "ended" });
  await database.pool.query("UPDATE promo_codes SET used_count = 1");
  expect(await place()).toMatchObject({ state: "used" });
});
