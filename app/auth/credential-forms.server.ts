import { z } from "zod";
import { readTimeZone } from "../ui/time-zone.ts";
import { PASSWORD_LENGTH } from "./credentials.ts";
import { emailAddress, personName } from "./person-fields.server.ts";

const TOO_LONG = `Choose a password of at most ${PASSWORD_LENGTH.max} characters`;

/** A new password, judged by its length alone: in characters as people see them, not in UTF-16. */
export const newPassword = z
  .string({ error: "Choose a password" })
  // In UTF-16 first, where a character has at most two units. Not as `max`: browsers would cut what is pasted.
  .refine((password) => password.length <= 2 * PASSWORD_LENGTH.max, { error: TOO_LONG, abort: true })
  .refine(
    (password) => lengthOf(password) >= PASSWORD_LENGTH.min,
    `Choose a password of at least ${PASSWORD_LENGTH.min} characters`,
  )
  .refine((password) => lengthOf(password) <= PASSWORD_LENGTH.max, TOO_LONG);

/** No longer than safePath takes. */
const returnTo = z.string().max(2000).catch("").optional();

/** What the script fills in; without it there is none. */
const timeZone = z.string().max(64).transform(readTimeZone).catch(null).optional();

export const signUpForm = z.object({
  name: personName,
  email: emailAddress,
  password: newPassword,
  return_to: returnTo,
  time_zone: timeZone,
});

export const signInForm = z.object({
  email: emailAddress,
  password: z.string({ error: "Enter your password" }).max(1000, "Enter your password"),
  return_to: returnTo,
  time_zone: timeZone,
});

export const forgotPasswordForm = z.object({ email: emailAddress, return_to: returnTo });

export const resetPasswordForm = z.object({
  /** Asked while nobody had confirmed the address. */
  name: personName.optional(),
  password: newPassword,
  /** Whether connected providers are disconnected. */
  disconnects: z.stringbool().default(false),
});

function lengthOf(password: string): number {
  return [...password].length;
}
