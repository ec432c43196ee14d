import { z } from "zod";
import { emailAddress, NAME_TOO_LONG, personName } from "../auth/person-fields.server.ts";
import { cleanLine, foldCode, isVisible } from "../ui/typed-text.ts";

const USES_TOO_LONG = "Use at most 200 characters";

/** In UTF-16 code units, before trimming; more than any field takes. */
const FIELD_MAX_LENGTH = 1000;

const blankIsAbsent = (tooLong: string) =>
  z
    .string()
    .max(FIELD_MAX_LENGTH, { error: tooLong, abort: true })
    .trim()
    .transform((text) => text || undefined);

/** An invalid code is ignored, so that a mistyped referral link does not keep its visitor from joining. */
export const referralCode = z
  .string()
  .max(100)
  .transform((code) => foldCode(code).toLowerCase())
  .pipe(z.string().regex(/^[2-9a-z]{10}$/))
  .optional()
  .catch(undefined);

export const joinForm = z.object({
  email: emailAddress,
  name: blankIsAbsent(NAME_TOO_LONG).pipe(personName.optional()).optional(),
  uses_today: blankIsAbsent(USES_TOO_LONG)
    .pipe(
      z
        .string()
        .max(200, USES_TOO_LONG)
        .regex(/^\P{Cc}*$/u, "Some characters here can’t be saved. Please retype it.")
        .transform((text) => (isVisible(text) ? cleanLine(text) : undefined))
        .optional(),
    )
    .optional(),
  ref: referralCode,
});
