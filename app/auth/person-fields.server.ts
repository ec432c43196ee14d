import { z } from "zod";
import { safePath } from "../http/safe-path.ts";
import {
  ADDRESS_MAX_LENGTH,
  foldAddress,
  hasInternationalLocalPart,
  isEmailAddress,
} from "../ui/email-address.ts";
import { readTimeZone } from "../ui/time-zone.ts";
import { isVisible, withoutDirectionMarks } from "../ui/typed-text.ts";
import { PASSWORD_LENGTH, WRONG_PASSWORD } from "./credentials.ts";

/** Bounded before trimming, patterns and normalizing, which take longer for longer text. */
function typedText(longest: number, missing: string, tooLong: string) {
  return z
    .string({ error: missing })
    .max(longest + 200, { error: tooLong, abort: true })
    .trim()
    .max(longest, { error: tooLong, abort: true });
}

const ADDRESS_TOO_LONG = `Enter an email address of at most ${ADDRESS_MAX_LENGTH} characters`;

/** As stored, except for case: see `foldAddress`. */
export const emailAddress = typedText(ADDRESS_MAX_LENGTH, "Enter your email address", ADDRESS_TOO_LONG)
  .transform(foldAddress)
  .pipe(
    z
      .string()
      .max(ADDRESS_MAX_LENGTH, { error: ADDRESS_TOO_LONG, abort: true })
      .refine((text) => !hasInternationalLocalPart(text), {
        error: "Enter an email address with only letters from a to z before the @",
        abort: true,
      })
      .refine(isEmailAddress, "Enter an email address like name@example.com"),
  );

export const NAME_TOO_LONG = "Use 100 characters or fewer for your name";

/** One line, without marks of direction. */
export const personName = typedText(100, "Enter your name", NAME_TOO_LONG)
  .min(1, "Enter your name")
  .regex(/^\P{Cc}*$/u, "Some characters here can’t be saved. Please retype it.")
  .transform(withoutDirectionMarks)
  .refine(isVisible, "Enter a name with at least one visible character");

/** The part of the address before the @, cut to the length of a name. */
export function nameFromAddress(email: string): string {
  return (email.split("@", 1)[0] ?? "").slice(0, 100);
}

const PHOTO_HINT = "Enter a link to a photo, like https://example.com/me.jpg";

export const photoUrl = typedText(2000, PHOTO_HINT, "Enter a link of at most 2000 characters")
  .regex(/^\P{Cc}*$/u, PHOTO_HINT)
  .pipe(z.url({ protocol: /^https$/, error: PHOTO_HINT }));

const TOO_LONG = `Choose a password of at most ${PASSWORD_LENGTH.max} characters`;

/** Its length in characters as people see them, not in UTF-16. */
export const newPassword = z
  .string({ error: "Choose a password" })
  // First in UTF-16, where a character has at most two units. Not `max`, with which browsers would truncate pasted text.
  .refine((password) => password.length <= 2 * PASSWORD_LENGTH.max, { error: TOO_LONG, abort: true })
  .refine(
    (password) => lengthOf(password) >= PASSWORD_LENGTH.min,
    `Choose a password of at least ${PASSWORD_LENGTH.min} characters`,
  )
  .refine((password) => lengthOf(password) <= PASSWORD_LENGTH.max, TOO_LONG);

/** `safePath` refuses longer ones. */
export const returnPath = z.string().max(2000).catch("").optional();

/** The browser's time zone, which a script fills in; absent without scripts. */
export const timeZoneName = z.string().max(64).transform(readTimeZone).catch(null).optional();

export const currentPassword = z.string({ error: "Enter your password" }).max(1000, WRONG_PASSWORD);

export function returnToOf({ request }: { request: Request }, fallback: string): string {
  return safePath(new URL(request.url).searchParams.get("return_to"), fallback);
}

function lengthOf(password: string): number {
  return [...password].length;
}
