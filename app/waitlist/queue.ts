import { PLACES_PER_FRIEND } from "./rules.ts";

/** A confirmed member of the list. */
interface Member {
  id: string;
  /** The id of the member whose link they joined by. */
  referredBy: string | null;
}

/**
 * The ids of the members in queue order. Each member joins at the end, and their referrer moves up `PLACES_PER_FRIEND`
 * from the current position. The moves are replayed in order, because a formula over totals would give fewer places as
 * soon as two members have moved. Members who left are not in the list, and their referrals do not count.
 *
 * @param confirmed in the order of confirmation
 */
export function queueOrder(confirmed: readonly Member[]): string[] {
  const queue: string[] = [];
  const indexOf = new Map<string, number>();
  for (const { id, referredBy } of confirmed) {
    indexOf.set(id, queue.push(id) - 1);
    const from = referredBy === null ? undefined : indexOf.get(referredBy);
    if (referredBy === null || from === undefined) continue;
    const to = Math.max(0, from - PLACES_PER_FRIEND);
    queue.splice(from, 1);
    queue.splice(to, 0, referredBy);
    for (let index = to; index <= from; index++) indexOf.set(queue[index] ?? referredBy, index);
  }
  return queue;
}
