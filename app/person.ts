import { z } from "zod";

/** A person's address, in whichever form they write it. Trimmed; upper and lower case stay as they were typed. */
export const emailAddress = z
  .string({ error: "Enter your email address" })
  .trim()
  .max(254, "Enter an email address of at most 254 characters")
  .pipe(z.email("Enter an email address like name@example.com"));

/** A person's name as they want to be called, in one line. */
export const personName = z
  .string({ error: "Enter your name" })
  .trim()
  .min(1, "Enter your name")
  .max(100, "Enter a name of at most 100 characters")
  .regex(/^\P{Cc}*$/u, "Enter a name without control characters")
  .regex(/[\p{L}\p{N}\p{P}\p{S}]/u, "Enter a name that can be seen");

/** What somebody is called who has not said: the part of their address before the @, as far as a name may go. */
export function nameFromAddress(email: string): string {
  return (email.split("@", 1)[0] ?? "").slice(0, 100);
}

const PHOTO_HINT = "Enter the address of a photo, like https://example.com/me.jpg";

/** Where a person's photo is. Pages of ours never ask for it over a line others can read. */
export const photoUrl = z
  .string({ error: PHOTO_HINT })
  .trim()
  .max(2000, "Enter an address of at most 2000 characters")
  .regex(/^\P{Cc}*$/u, PHOTO_HINT)
  .pipe(z.url({ protocol: /^https$/, error: PHOTO_HINT }));
