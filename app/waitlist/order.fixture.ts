import type { Pool } from "pg";
import { createSecretToken } from "../http/secret-token.server.ts";
import { createReferralCode } from "./codes.server.ts";
import { PLACES_PER_FRIEND } from "./rules.ts";

/** What happens to a list, in the order in which it does. Members are known by their ticket. */
export type ListEvent =
  | { kind: "join"; ticket: number; referredBy: number | null }
  | { kind: "leave"; ticket: number }
  | { kind: "pick"; tickets: number[] };

/** A list as it is after some events. */
export interface ListState {
  /** The tickets of those who wait, from the first. */
  order: number[];
  /** Of those on the list who have brought somebody who is. */
  friends: Record<number, number>;
  invited: number;
}

/**
 * The rules of the list as plainly as they can be written, in time that grows with the list: what the order in the database is
 * compared with.
 */
export function playEvents(events: readonly ListEvent[]): ListState {
  const order: number[] = [];
  const members = new Map<number, { referrer: number | null; friends: number; spare: number }>();
  const move = (ticket: number, places: number): number => {
    const from = order.indexOf(ticket);
    if (from < 0) return places;
    const to = Math.min(order.length - 1, Math.max(0, from - places));
    order.splice(from, 1);
    order.splice(to, 0, ticket);
    return from - to;
  };
  for (const event of events) {
    if (event.kind === "join") {
      const { ticket, referredBy } = event;
      // Behind those with earlier tickets: two who join at once may come in the other order.
      const overtaken = order.findLastIndex((other) => other < ticket);
      order.splice(overtaken + 1, 0, ticket);
      members.set(ticket, { referrer: referredBy, friends: 0, spare: 0 });
      const referrer = referredBy === null ? undefined : members.get(referredBy);
      if (!referrer || referredBy === null) continue;
      referrer.friends++;
      referrer.spare += PLACES_PER_FRIEND - move(referredBy, PLACES_PER_FRIEND);
    } else if (event.kind === "leave") {
      const member = members.get(event.ticket);
      if (order.includes(event.ticket)) order.splice(order.indexOf(event.ticket), 1);
      members.delete(event.ticket);
      const referrer = member?.referrer ? members.get(member.referrer) : undefined;
      if (!referrer || !member?.referrer) continue;
      referrer.friends--;
      const back = Math.max(0, PLACES_PER_FRIEND - referrer.spare);
      referrer.spare = Math.max(0, referrer.spare - PLACES_PER_FRIEND);
      move(member.referrer, -back);
    } else {
      for (const ticket of event.tickets) if (order.includes(ticket)) order.splice(order.indexOf(ticket), 1);
    }
  }
  const friends = [...members].filter(([, { friends }]) => friends > 0);
  return {
    order,
    friends: Object.fromEntries(friends.map(([ticket, { friends }]) => [ticket, friends])),
    invited: members.size - order.length,
  };
}

/**
 * A history at random: members who join, most by somebody's link, who leave, and who are picked, the first few or anybody.
 *
 * @param random from 0 to below 1
 * @param gap the most numbers that no ticket has between two: with few members the numbers of many
 */
export function randomEvents(random: () => number, count: number, gap: number): ListEvent[] {
  const upTo = (most: number) => Math.floor(random() * most);
  const on: number[] = [];
  let waiting: number[] = [];
  let ticket = 0;
  return Array.from({ length: count }, (): ListEvent => {
    const chance = random();
    if (chance < 0.15 && on.length > 0) {
      const [leaving = 0] = on.splice(upTo(on.length), 1);
      waiting = waiting.filter((other) => other !== leaving);
      return { kind: "leave", ticket: leaving };
    }
    if (chance < 0.2 && waiting.length > 0) {
      const from = random() < 0.7 ? 0 : upTo(waiting.length);
      return { kind: "pick", tickets: waiting.splice(from, 1 + upTo(6)) };
    }
    ticket += 1 + upTo(gap);
    // Some bring many: half of all friends are those of a few.
    const referredBy = random() < 0.7 ? (on[random() < 0.5 ? upTo(3) : upTo(on.length)] ?? null) : null;
    on.push(ticket);
    waiting.push(ticket);
    return { kind: "join", ticket, referredBy };
  });
}

/** What makes an event happen, straight in the database. */
export function statementOf(event: ListEvent): string {
  if (event.kind === "leave") return `DELETE FROM waitlist WHERE ticket = ${event.ticket}`;
  if (event.kind === "pick") {
    const id = `picked ${event.tickets.join()}`;
    return `INSERT INTO waitlist_invitations (id, size, tier, duration_months, created_at)
        VALUES ('${id}', 1, 'basic', 1, clock_timestamp());
      UPDATE waitlist SET invitation_id = '${id}' WHERE ticket IN (${event.tickets.join()})`;
  }
  const { ticket, referredBy } = event;
  return `INSERT INTO waitlist (id, email, token, referral_code, referred_by, confirm_by, confirmed_at, ticket)
    VALUES ('${ticket}', '${ticket}@example.com', '${createSecretToken()}', '${createReferralCode()}',
      ${referredBy === null ? "NULL" : `'${referredBy}'`}, now(), clock_timestamp(), ${ticket})`;
}

/** The list as the database has it. @throws when its numbers are not those of its order */
export async function readList(pool: Pick<Pool, "query">): Promise<ListState> {
  const { rows } = await pool.query<{ ticket: number; number: number }>(
    "SELECT ticket::int, waitlist_number(ticket)::int AS number FROM waitlist_slots ORDER BY slot",
  );
  const wrong = rows.find(({ number }, index) => number !== index + 1);
  if (wrong)
    throw new Error(`place ${rows.indexOf(wrong) + 1} has the wrong number: ${JSON.stringify(wrong)}`);
  const { rows: brought } = await pool.query<{ ticket: number; friends: number }>(
    "SELECT ticket::int, friends FROM waitlist_referrers ORDER BY ticket",
  );
  const { rows: totals } = await pool.query<{ invited: number }>("SELECT invited::int FROM waitlist_totals");
  return {
    order: rows.map(({ ticket }) => ticket),
    friends: Object.fromEntries(brought.map(({ ticket, friends }) => [ticket, friends])),
    invited: totals[0]?.invited ?? 0,
  };
}
