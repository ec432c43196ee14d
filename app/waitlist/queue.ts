import { PLACES_PER_FRIEND } from "./rules.ts";

/** Somebody on the list. */
interface Member {
  id: string;
  /** By whose link they came. */
  referredBy: string | null;
}

/**
 * Who stands where, from the first to the last. Everybody joins at the end, and at that moment the one whose link they
 * came by moves up `PLACES_PER_FRIEND`, from wherever they stand by then: a formula over totals gives fewer places as
 * soon as two people have moved. Who left is not in the list, and has moved nobody.
 *
 * @param confirmed in the order of confirming
 */
export function queueOrder(confirmed: readonly Member[]): string[] {
  const line: string[] = [];
  const indexOf = new Map<string, number>();
  for (const { id, referredBy } of confirmed) {
    indexOf.set(id, line.push(id) - 1);
    const from = referredBy === null ? undefined : indexOf.get(referredBy);
    if (referredBy === null || from === undefined) continue;
    const to = Math.max(0, from - PLACES_PER_FRIEND);
    line.splice(from, 1);
    line.splice(to, 0, referredBy);
    for (let index = to; index <= from; index++) indexOf.set(line[index] ?? referredBy, index);
  }
  return line;
}
