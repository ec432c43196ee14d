/** The page that waits for a payment stops polling after this; the sweep goes on asking Stripe. */
const STOP_AFTER_SECONDS = 10 * 60;
const MIN_SECONDS = 2;
const MAX_SECONDS = 30;

/**
 * Seconds until the page that waits for a payment polls again: a quarter of the time waited so far, which makes about
 * thirty polls in all. `null` once it has stopped and leaves that to the user.
 */
export function secondsToNextPoll(secondsWaited: number): number | null {
  if (secondsWaited >= STOP_AFTER_SECONDS) return null;
  return Math.min(Math.max(MIN_SECONDS, Math.round(secondsWaited / 4)), MAX_SECONDS);
}
