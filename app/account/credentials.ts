import { z } from "zod";
import { emailAddress, personName } from "../person.ts";

/** In characters. NIST SP 800-63B: length counts, composition rules do not. */
export const PASSWORD_LENGTH = { min: 12, max: 128 };

/** Why signing up fails for somebody who has an account. */
export const ADDRESS_TAKEN = "There is an account with this email address already.";

const returnTo = z.string().optional();

export const signUpForm = z.object({
  name: personName,
  email: emailAddress,
  password: z
    .string({ error: "Choose a password" })
    .min(PASSWORD_LENGTH.min, `Choose a password of at least ${PASSWORD_LENGTH.min} characters`)
    .max(PASSWORD_LENGTH.max, `Choose a password of at most ${PASSWORD_LENGTH.max} characters`),
  return_to: returnTo,
});

export const signInForm = z.object({
  email: emailAddress,
  password: z.string({ error: "Enter your password" }).max(1000, "Enter your password"),
  return_to: returnTo,
});
