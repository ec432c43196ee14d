import { z } from "zod";

/** In characters. NIST SP 800-63B: length counts, composition rules do not. */
export const PASSWORD_LENGTH = { min: 12, max: 128 };

/** Why signing up fails for somebody who has an account. */
export const ADDRESS_TAKEN = "There is an account with this email address already.";

const email = z
  .string({ error: "Enter your email address" })
  .trim()
  .max(254, "Enter an email address of at most 254 characters")
  .pipe(z.email("Enter an email address like name@example.com"));

const returnTo = z.string().optional();

export const signUpForm = z.object({
  name: z
    .string({ error: "Enter your name" })
    .trim()
    .min(1, "Enter your name")
    .max(100, "Enter a name of at most 100 characters")
    .regex(/^\P{Cc}*$/u, "Enter a name without control characters"),
  email,
  password: z
    .string({ error: "Choose a password" })
    .min(PASSWORD_LENGTH.min, `Choose a password of at least ${PASSWORD_LENGTH.min} characters`)
    .max(PASSWORD_LENGTH.max, `Choose a password of at most ${PASSWORD_LENGTH.max} characters`),
  return_to: returnTo,
});

export const signInForm = z.object({
  email,
  password: z.string({ error: "Enter your password" }).max(1000, "Enter your password"),
  return_to: returnTo,
});
