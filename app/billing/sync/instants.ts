/** Stripe's unix seconds as a point in time. */
export function fromUnixSeconds(seconds: number): Date {
  return new Date(seconds * 1000);
}

/** The same for what may be missing. */
export function instantOrNull(seconds: number | null | undefined): Date | null {
  return seconds ? fromUnixSeconds(seconds) : null;
}
