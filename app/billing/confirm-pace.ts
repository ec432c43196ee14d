/** The page that waits for a payment stops looking by itself after this; the sweep goes on asking Stripe. */
const STOP_AFTER_SECONDS = 10 * 60;
const SHORTEST_SECONDS = 2;
const LONGEST_SECONDS = 30;

/**
 * In how many seconds the page that waits for a payment looks again: a quarter of how long it has waited, so about thirty
 * looks in all. `null` when it leaves that to the person.
 */
export function secondsToNextLook(secondsWaited: number): number | null {
  if (secondsWaited >= STOP_AFTER_SECONDS) return null;
  return Math.min(Math.max(SHORTEST_SECONDS, Math.round(secondsWaited / 4)), LONGEST_SECONDS);
}
