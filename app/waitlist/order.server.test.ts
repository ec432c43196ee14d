import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { rollDice } from "../../bench/dice.ts";
import { openDatabase } from "../../test/database.ts";
import { SITE } from "../../test/site.ts";
import { COMMAND_LINE } from "../audit/record-change.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { confirmPlace } from "./confirm.server.ts";
import { inviteNext } from "./invite.server.ts";
import { leaveWaitlist } from "./leave.server.ts";
import { type ListEvent, playEvents, randomEvents, readList, statementOf } from "./order.fixture.ts";
import { createQueue } from "./replay.fixture.ts";
import { PLACES_PER_FRIEND } from "./rules.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
});

beforeEach(() =>
  database.pool.query(
    `TRUNCATE waitlist, waitlist_invitations; UPDATE waitlist_totals SET counted_before = 0;
     ALTER SEQUENCE waitlist_ticket RESTART`,
  ),
);

afterAll(() => database.close());

const happen = (events: readonly ListEvent[]) => database.pool.query(events.map(statementOf).join(";"));

// Some tickets next to each other and some far apart, so that few people make counts of several levels.
test.each([
  [1, 60],
  [30, 60],
  [400, 60],
  [5_000, 60],
  [1, 700],
  [40, 250],
])(
  "with tickets at most %d apart, after %d events, the order is that of the rules played one by one",
  async (gap, count) => {
    const events = randomEvents(rollDice(gap * count), count, gap);
    await happen(events);
    expect(await readList(database.pool)).toEqual(playEvents(events));
    expect(await findViolations(database.pool)).toEqual([]);
  },
);

/** The list as replaying it from its rows gives it, as every page once did. */
async function replay() {
  const { rows } = await database.pool.query<{
    ticket: number;
    referredBy: number | null;
    confirmedAt: number;
    pickedAt: number | null;
  }>(
    `SELECT ticket::int, (SELECT ticket::int FROM waitlist AS r WHERE r.id = waitlist.referred_by) AS "referredBy",
       extract(epoch FROM confirmed_at)::float AS "confirmedAt", extract(epoch FROM i.created_at)::float AS "pickedAt"
     FROM waitlist LEFT JOIN waitlist_invitations AS i ON i.id = invitation_id WHERE ticket IS NOT NULL ORDER BY ticket`,
  );
  const queue = createQueue();
  for (const member of rows) queue.add(member);
  const brought = queue.topReferrers(rows.length).map(({ ticket, friends }) => [ticket, friends]);
  return {
    order: queue.slice(0, queue.size()),
    friends: Object.fromEntries(brought),
    invited: queue.invited(),
  };
}

test("as long as nobody leaves, it is what replaying the whole list gives", async () => {
  const events = randomEvents(rollDice(5), 300, 20).filter(({ kind }) => kind !== "leave");
  await happen(events);
  expect(await readList(database.pool)).toEqual(await replay());
});

test("a list from before is taken over as its replay has it, and goes on by the rules", async () => {
  await happen(randomEvents(rollDice(6), 400, 20));
  await database.pool.query("SELECT waitlist_rebuild()");
  const before = await replay();
  expect(await readList(database.pool)).toEqual(before);
  expect(await findViolations(database.pool)).toEqual([]);
  const last = before.order.at(-1) ?? 0;
  await happen([{ kind: "join", ticket: 1_000_000, referredBy: last }]);
  const { order } = await readList(database.pool);
  expect(order.indexOf(last)).toBe(before.order.length - 1 - PLACES_PER_FRIEND);
  expect(await findViolations(database.pool)).toEqual([]);
});
