import { z } from "zod";
import { TIERS } from "../entitlements/tiers.ts";

/** In characters, as the column's check has it. */
const MAX_REASON_LENGTH = 500;

/** Why an operator does something, in their words. */
export const operatorReason = z
  .string({ error: "Say why" })
  .trim()
  .min(1, "Say why")
  .max(MAX_REASON_LENGTH, `Say it in at most ${MAX_REASON_LENGTH} characters`);

/** What an operator may give somebody. Numbers are strings, as a command line and a form have them. */
export const accessToGive = z.object({
  tier: z.enum(TIERS, { error: "Choose a plan" }),
  months: z.coerce
    .number<string>({ error: "Enter a number of months" })
    .int("Enter whole months")
    .min(1, "Enter at least 1 month")
    .max(1200, "Enter at most 1200 months")
    .default(1),
  /** In place of `months`: the last day they have it, in UTC. */
  lastDay: z.iso
    .date({ error: "Enter a day such as 2027-01-31" })
    .refine((day) => day >= new Date().toISOString().slice(0, 10), { error: "That day is over" })
    .refine((day) => day < "2200", { error: "Enter a day before the year 2200" })
    .optional(),
  reason: operatorReason,
});

export type AccessToGive = z.output<typeof accessToGive>;
