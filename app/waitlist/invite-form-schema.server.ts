import { z } from "zod";
import { TIERS } from "../entitlements/tiers.ts";
import { MOST_INVITED } from "./limits.ts";

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

const wholeNumber = (most: number) =>
  z.coerce
    .number<string>({ error: "Enter a number" })
    .int("Enter a whole number")
    .min(1, "Enter a number from 1")
    .max(most, { error: `Enter a number up to ${most.toLocaleString("en-US")}` });

/** The operator's input for an invitation. Numbers are text, from a command line or a form. */
export const inviteForm = z.object({
  /** How many people; those who are first. */
  count: wholeNumber(MOST_INVITED),
  /** What each one's code gives. */
  tier: z.enum(TIERS, { error: `Choose ${TIERS.join(" or ")}` }),
  months: wholeNumber(1200),
  /** The last day the codes can be redeemed, in UTC. Absent: no end. */
  last_day: z.iso
    .date({ error: "Enter a day like 2027-01-31" })
    .refine((day) => endOf(day) > new Date(), { error: "Enter a day that is not over" })
    .optional(),
});

export type InviteInput = z.output<typeof inviteForm>;

/** The end of a day in UTC. */
export function endOf(day: string): Date {
  return new Date(Date.parse(day) + DAY_MILLISECONDS);
}
