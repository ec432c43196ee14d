import { z } from "zod";

/**
 * Typed text, bounded before trimming, patterns and normalising, which take longer for longer text.
 *
 * @param longest in characters, without the blanks around it
 */
function typedText(longest: number, missing: string, tooLong: string) {
  return z
    .string({ error: missing })
    .max(longest + 200, { error: tooLong, abort: true })
    .trim()
    .max(longest, { error: tooLong, abort: true });
}

/** An email address, trimmed; upper and lower case stay as typed. */
export const emailAddress = typedText(
  254,
  "Enter your email address",
  "Enter an email address of at most 254 characters",
).pipe(z.email("Enter an email address like name@example.com"));

export const NAME_TOO_LONG = "Enter a name of at most 100 characters";

/** A person's name as they want to be called, in one line. */
export const personName = typedText(100, "Enter your name", NAME_TOO_LONG)
  .min(1, "Enter your name")
  .regex(/^\P{Cc}*$/u, "Some characters here can’t be saved. Please retype it.")
  .regex(/[\p{L}\p{N}\p{P}\p{S}]/u, "Enter a name with at least one visible character");

/** The name of a person who gave none: the part of their address before the @, cut to the length of a name. */
export function nameFromAddress(email: string): string {
  return (email.split("@", 1)[0] ?? "").slice(0, 100);
}

const PHOTO_HINT = "Enter a link to a photo, like https://example.com/me.jpg";

/** The address of a person's photo: https only. */
export const photoUrl = typedText(2000, PHOTO_HINT, "Enter a link of at most 2000 characters")
  .regex(/^\P{Cc}*$/u, PHOTO_HINT)
  .pipe(z.url({ protocol: /^https$/, error: PHOTO_HINT }));
