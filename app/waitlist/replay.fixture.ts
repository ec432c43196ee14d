import { PLACES_PER_FRIEND } from "./rules.ts";

/** A confirmed member of the list. Members are known by their ticket. */
interface QueueMember {
  ticket: number;
  /** The ticket of the member whose link they joined by; `null` also when that one has left. */
  referredBy: number | null;
  /** In milliseconds. */
  confirmedAt: number;
  /** When they were picked for an invitation, in milliseconds. */
  pickedAt: number | null;
}

/** Everybody whose place is confirmed, and the order in which those wait who are not invited yet. */
export interface Queue {
  /** Adds the next member: in the order of tickets. */
  add(member: QueueMember): void;
  /** How many wait. */
  size(): number;
  /** How many were invited. */
  invited(): number;
  /** The tickets of those who wait, from the first, beginning with this position. */
  slice(from: number, to: number): number[];
  /** From 1. Somebody who has confirmed since the list was read is behind everybody. */
  numberOf(ticket: number): number;
  /** How many friends joined by this member's link and confirmed. */
  friendsOf(ticket: number): number;
  /** Those who brought most, the best first. */
  topReferrers(count: number): { ticket: number; friends: number }[];
}

/**
 * The order of the list. Each member joins at the end, and their referrer moves up `PLACES_PER_FRIEND` from the current
 * position. The moves are replayed in order, because a formula over totals would give fewer places as soon as two members
 * have moved. Members who left are not in the list, and their referrals do not count. Those who were picked for an
 * invitation go out of the queue at that moment of the replay: all behind them move up, in the same order as before, and
 * a friend is worth five places among those who are left.
 */
export function createQueue(): Queue {
  // By index, in the order of tickets: a million members are a few arrays of numbers.
  const tickets: number[] = [];
  const friends: number[] = [];
  /** In the queue; -1 once they are out of it. */
  const positions: number[] = [];
  let queue: number[] = [];
  let invited = 0;
  /** Who is to go out, by the moment at which they were picked. */
  const picked = new Map<number, number[]>();
  let earliestPick = Number.POSITIVE_INFINITY;

  function add({ ticket, referredBy, confirmedAt, pickedAt }: QueueMember): void {
    takeOut(confirmedAt);
    const index = tickets.push(ticket) - 1;
    friends.push(0);
    positions.push(queue.push(index) - 1);
    if (pickedAt !== null) {
      const together = picked.get(pickedAt);
      if (together) together.push(index);
      else picked.set(pickedAt, [index]);
      earliestPick = Math.min(earliestPick, pickedAt);
    }
    const referrer = referredBy === null ? -1 : indexOf(referredBy);
    if (referrer < 0) return;
    friends[referrer] = (friends[referrer] ?? 0) + 1;
    moveUp(referrer);
  }

  function moveUp(index: number): void {
    const from = positions[index] ?? -1;
    if (from < 0) return;
    const to = Math.max(0, from - PLACES_PER_FRIEND);
    for (let position = from; position > to; position--) place(queue[position - 1] ?? index, position);
    place(index, to);
  }

  function place(index: number, position: number): void {
    queue[position] = index;
    positions[index] = position;
  }

  /** Takes those out of the queue who were picked before this moment. */
  function takeOut(before: number): void {
    if (earliestPick >= before) return;
    for (const [pickedAt, together] of picked) {
      if (pickedAt >= before) continue;
      for (const index of together) positions[index] = -1;
      invited += together.length;
      picked.delete(pickedAt);
    }
    earliestPick = Math.min(...picked.keys());
    queue = queue.filter((index) => positions[index] !== -1);
    queue.forEach((index, position) => {
      positions[index] = position;
    });
  }

  /** @returns -1 for a ticket that is not on the list */
  function indexOf(ticket: number): number {
    let [low, high] = [0, tickets.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((tickets[middle] ?? 0) < ticket) low = middle + 1;
      else high = middle;
    }
    return tickets[low] === ticket ? low : -1;
  }

  /** The queue once everybody who was picked is out of it. */
  function waiting(): number[] {
    takeOut(Number.POSITIVE_INFINITY);
    return queue;
  }

  return {
    add,
    size: () => waiting().length,
    invited() {
      waiting();
      return invited;
    },
    slice: (from, to) =>
      waiting()
        .slice(from, to)
        .map((index) => tickets[index] ?? 0),
    numberOf(ticket) {
      const behindAll = waiting().length;
      return (positions[indexOf(ticket)] ?? behindAll) + 1;
    },
    friendsOf: (ticket) => friends[indexOf(ticket)] ?? 0,
    topReferrers(count) {
      const best: { ticket: number; friends: number }[] = [];
      friends.forEach((brought, index) => {
        if (brought === 0 || (best.length === count && brought <= (best.at(-1)?.friends ?? 0))) return;
        const at = best.findIndex((other) => other.friends < brought);
        best.splice(at < 0 ? best.length : at, 0, { ticket: tickets[index] ?? 0, friends: brought });
        best.length = Math.min(best.length, count);
      });
      return best;
    },
  };
}
