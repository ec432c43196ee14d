import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { pick, rollDice } from "../../test/dice.ts";
import { COMMAND_LINE } from "../audit/record-change.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { createReferralCode } from "./codes.server.ts";
import { confirmPlace } from "./confirm.server.ts";
import { inviteNext } from "./invite.server.ts";
import { leaveWaitlist } from "./leave.server.ts";
import { CONFIG } from "./members.fixture.ts";
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

test("who drew a ticket long before they are on the list stands where it says, counted or not", async () => {
  const late = [100, 400, 1_190];
  const joins = Array.from({ length: 1_200 }, (_, index) => index + 1)
    .toSorted((a, b) => Number(late.includes(a)) - Number(late.includes(b)))
    .map((ticket) => ({ kind: "join", ticket, referredBy: null }) as const);
  const events: ListEvent[] = [...joins, { kind: "leave", ticket: 400 }, { kind: "leave", ticket: 1_190 }];
  await happen(events);
  expect(await readList(database.pool)).toEqual(playEvents(events));
  expect(await findViolations(database.pool)).toEqual([]);
});

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

test("inviting thousands takes as long on a connection that has confirmed somebody as on a new one", async () => {
  const { pool, ownerUrl } = database;
  await pool.query(
    `INSERT INTO waitlist (id, email, token, referral_code, confirm_by)
     SELECT n, n || '@example.com', lpad(n::text, 43, '0'), translate(lpad(n::text, 10, 'z'), '01', 'ab'), now() FROM generate_series(1, 3000) AS n;
     UPDATE waitlist SET ticket = id::int, confirmed_at = now() WHERE id <> '1';
     INSERT INTO waitlist_invitations (id, size, tier, duration_months) VALUES ('all', 2999, 'basic', 1);
     ANALYZE waitlist, waitlist_slots`,
  );
  const measure = async (before: string) => {
    const client = new Client({ connectionString: ownerUrl });
    await client.connect();
    await client.query(`BEGIN; ${before}`);
    const start = performance.now();
    await client.query(
      "UPDATE waitlist SET invitation_id = 'all', invitation_position = ticket WHERE ticket IS NOT NULL AND id <> '1'",
    );
    const milliseconds = performance.now() - start;
    await client.query("ROLLBACK").finally(() => client.end());
    return milliseconds;
  };
  const fresh = await measure("SELECT 1");
  const confirmed = await measure("UPDATE waitlist SET ticket = 1, confirmed_at = now() WHERE id = '1'");
  // 37 when plans for one row were kept for thousands.
  expect(confirmed / fresh).toBeLessThan(10);
});

test("moving up or down reads no more of a list that nobody has analyzed than of any other", async () => {
  const { ownerUrl, close } = await openDatabase();
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  await client.query("ALTER TABLE waitlist_slots SET (autovacuum_enabled = off)");
  const joins = Array.from({ length: 300 }, (_, index) =>
    statementOf({ kind: "join", ticket: index + 1, referredBy: null }),
  );
  await client.query(joins.join(";"));
  // More than PostgreSQL tries before it keeps a plan.
  const friends = Array.from({ length: 20 }, (_, index) => 301 + index);
  const moves = friends.map((ticket) =>
    statementOf({ kind: "join", ticket, referredBy: 1 + ((ticket * 7) % 300) }),
  );
  const leaves = friends.map((ticket) => statementOf({ kind: "leave", ticket }));
  await client.query(["BEGIN", ...moves, ...leaves].join(";"));
  const { rows } = await client.query(
    "SELECT seq_scan::int FROM pg_stat_xact_user_tables WHERE relname = 'waitlist_slots'",
  );
  await client.end();
  await close();
  expect(rows).toEqual([{ seq_scan: 0 }]);
});

test("who was invited is counted only by one who changes the order alone", async () => {
  await happen([
    { kind: "join", ticket: 1, referredBy: null },
    { kind: "pick", tickets: [1] },
  ]);
  const client = await database.pool.connect();
  await client.query("BEGIN; DELETE FROM waitlist");
  const { rows } = await client.query(
    "SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND objid = waitlist_order_lock()",
  );
  await client.query("ROLLBACK").finally(() => client.release());
  expect(rows).toEqual([{ mode: "ExclusiveLock" }]);
});

/** Writes down, while the order is locked, what happens to it: the events of a list that many change at once, in one order. */
const WRITE_DOWN = `
  CREATE TABLE happened (at bigint GENERATED ALWAYS AS IDENTITY, event jsonb);
  GRANT ALL ON happened TO PUBLIC;
  CREATE FUNCTION write_down_update() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO happened (event) SELECT jsonb_build_object('kind', 'join', 'ticket', after.ticket, 'referredBy',
      (SELECT ticket FROM waitlist WHERE id = after.referred_by))
      FROM before JOIN after USING (id) WHERE before.ticket IS NULL AND after.ticket IS NOT NULL ORDER BY after.ticket;
    INSERT INTO happened (event) SELECT jsonb_build_object('kind', 'pick', 'tickets', jsonb_agg(after.ticket))
      FROM before JOIN after USING (id) WHERE before.invitation_id IS DISTINCT FROM after.invitation_id HAVING count(*) > 0;
    RETURN NULL; END $$;
  CREATE FUNCTION write_down_delete() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO happened (event) SELECT jsonb_build_object('kind', 'leave', 'ticket', ticket) FROM before; RETURN NULL; END $$;
  CREATE TRIGGER write_down_update AFTER UPDATE ON waitlist REFERENCING OLD TABLE AS before NEW TABLE AS after
    FOR EACH STATEMENT EXECUTE FUNCTION write_down_update();
  CREATE TRIGGER write_down_delete AFTER DELETE ON waitlist REFERENCING OLD TABLE AS before
    FOR EACH STATEMENT EXECUTE FUNCTION write_down_delete();`;

test("changed by twelve at once, nobody waits for ever, and the order is that of the same changes one by one", async () => {
  const { db, pool } = database;
  await pool.query(WRITE_DOWN);
  const dice = rollDice(7);
  const members: { id: string }[] = [];
  const join = async (referredBy: string | null) => {
    const member = { id: randomUUID() };
    await pool.query(
      `INSERT INTO waitlist (id, email, referral_code, referred_by, confirm_by)
       VALUES ($1, $1 || '@example.com', $2, $3, now() + interval '1 day')`,
      [member.id, createReferralCode(), referredBy],
    );
    await confirmPlace(db, CONFIG, member.id);
    return member;
  };
  for (let index = 0; index < 30; index++) members.push(await join(null));
  const bringers = members.slice(0, 12);
  const someone = async () => {
    const chance = dice();
    const [leaving] = chance < 0.2 ? members.splice(Math.floor(dice() * members.length), 1) : [];
    if (leaving) return leaveWaitlist(db, leaving.id);
    if (chance < 0.22)
      return inviteNext({ db, config: { mail: { mode: "sandbox", from: "" } } }, COMMAND_LINE, randomUUID(), {
        ...{ count: 2, tier: "basic", months: 1, last_day: undefined },
      });
    const member = await join(chance < 0.7 ? pick(dice, bringers).id : null).catch((error) => {
      // Who brought them has left meanwhile.
      if (!/foreign key/.test(String(error.cause ?? error))) throw error;
    });
    if (member) members.push(member);
  };
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let time = 0; time < 18; time++) await someone();
    }),
  );
  const { rows } = await pool.query<{ event: ListEvent }>("SELECT event FROM happened ORDER BY at");
  expect(rows.length).toBeGreaterThan(180);
  expect(await readList(pool)).toEqual(playEvents(rows.map(({ event }) => event)));
  expect(await findViolations(pool)).toEqual([]);
});
