import { z } from "zod";
import { cleanLine, isVisible } from "../../ui/typed-text.ts";

const NOTHING = "Enter the code";

/**
 * The form that shows a second factor: a code that was typed, of the app or a recovery code, or a passkey's answer, which a
 * script puts in.
 */
export const factorForm = z
  .object({
    otp: z.string().max(100, NOTHING).optional(),
    passkey: z.string().max(20_000, NOTHING).optional(),
  })
  .refine(({ otp, passkey }) => otp || passkey, { error: NOTHING, path: ["otp"] });

/** The form that adds an app: the first code it shows. */
export const appForm = z.object({ otp: z.string({ error: NOTHING }).max(100, NOTHING) });

/** The form that adds a passkey: what its owner calls it, and what it said, which a script puts in. */
export const passkeyForm = z.object({
  name: z
    .string({ error: "Give the passkey a name" })
    .max(300, { error: "Choose a name of at most 100 characters", abort: true })
    .transform(cleanLine)
    .refine(isVisible, "Give the passkey a name")
    .pipe(z.string().max(100, { error: "Choose a name of at most 100 characters" })),
  passkey: z
    .string({ error: "Adding a passkey needs JavaScript. An authenticator app works without." })
    .max(20_000, "Your browser’s answer is too long"),
});
