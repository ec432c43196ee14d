import { type SQL, sql } from "drizzle-orm";
import { waitlistReferrers } from "./schema.ts";

/*
 * What is read of the order of the queue, in a time that does not grow with it (decision 0063). For queries that read
 * `waitlist` under its own name.
 */

/** The number of a member, from 1; NULL for somebody who does not wait. */
export const NUMBER: SQL<number | null> = sql`waitlist_number(waitlist.ticket)::int`;

/** How many friends joined by a member's link and confirmed. */
export const FRIENDS: SQL<number> = sql`
  coalesce((SELECT brought.friends FROM ${waitlistReferrers} AS brought WHERE brought.ticket = waitlist.ticket), 0)`;

/** How many wait: those before the end of all slots. */
export const SIZE: SQL<number> = sql`waitlist_rank(9223372036854775807)::int`;
