import { z } from "zod";
import { personName } from "../../person.ts";

/** The address of a photo: https, so that no page of ours asks for anything in the clear. Empty: none. */
export const photoUrl = z
  .string()
  .trim()
  .max(2000, "Enter an address of at most 2000 characters")
  .pipe(z.url({ protocol: /^https$/, error: "Enter an address that begins with https://" }));

export const profileForm = z.object({ name: personName, photo: photoUrl.optional() });
