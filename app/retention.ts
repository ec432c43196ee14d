/**
 * For how many days what nobody needs any more is kept. The privacy page names the same days (marketing/legal/privacy.md);
 * retention.server.test.ts compares them.
 */
export const RETENTION_DAYS = {
  /** Jobs that are done; what they were about is cleared at once. */
  doneJobs: 30,
  /** What Stripe told us of, once it is handled. */
  handledEvents: 30,
  /** Payment pages that were opened, once nothing can be paid on them any more. */
  closedAttempts: 90,
  /** Sign-ins that have ended by themselves, and Better Auth's verification rows. */
  expiredSessions: 1,
} as const;
