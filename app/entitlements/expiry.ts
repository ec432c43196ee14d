/** Forever is stored as 100 years (spec §9). Fewer here, so that such a grant still counts as forever after years. */
const MIN_FOREVER_YEARS = 75;

/** @param year of today */
export function isForever(expiresAt: Date, year: number): boolean {
  return expiresAt.getUTCFullYear() - year >= MIN_FOREVER_YEARS;
}
