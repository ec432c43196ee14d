import { z } from "zod";
import { emailAddress, personName } from "../person.ts";

/** Longer than any field takes, with blanks around it. */
const LONGEST_FIELD = 1000;

const blankIsAbsent = z
  .string()
  .max(LONGEST_FIELD, { error: `Write at most ${LONGEST_FIELD} characters`, abort: true })
  .trim()
  .transform((text) => text || undefined);

/** A link that was copied wrong costs a friend their places, and must not cost anybody the list. */
export const referralCode = z
  .string()
  .max(100)
  .trim()
  .toLowerCase()
  .regex(/^[2-9a-z]{10}$/)
  .optional()
  .catch(undefined);

export const joinForm = z.object({
  email: emailAddress,
  name: blankIsAbsent.pipe(personName.optional()).optional(),
  uses_today: blankIsAbsent
    .pipe(
      z
        .string()
        .max(200, "Say it in at most 200 characters")
        .regex(/^\P{Cc}*$/u, "Write it in one line, without control characters")
        .optional(),
    )
    .optional(),
  ref: referralCode,
});
