/** Forever is kept as 100 years (spec §9). Fewer here, so that it does not get a last day as the years go by. */
const FOREVER_FROM_YEARS = 75;

/** Whether a plan that ends then is one without an end, as people see it. */
export function isForever(expiresAt: Date, now: Date): boolean {
  return expiresAt.getUTCFullYear() - now.getUTCFullYear() >= FOREVER_FROM_YEARS;
}
