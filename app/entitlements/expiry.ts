/** Forever is stored as 100 years (spec §9). Fewer here, so that such a grant still counts as forever after years. */
const MIN_FOREVER_YEARS = 75;

/** Whether a plan with this expiry is shown as one that never expires. */
export function isForever(expiresAt: Date, now: Date): boolean {
  return expiresAt.getUTCFullYear() - now.getUTCFullYear() >= MIN_FOREVER_YEARS;
}
