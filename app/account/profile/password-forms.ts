import { z } from "zod";
import { newPassword } from "../../auth/credentials.ts";

export const WRONG_PASSWORD = "This is not your password.";

const currentPassword = z.string({ error: "Enter your password" }).max(1000, WRONG_PASSWORD);

export const confirmForm = z.object({ password: currentPassword });

/** Nobody is asked for a password they do not have. */
export const passwordForm = (hasPassword: boolean) =>
  z.object({
    current_password: hasPassword ? currentPassword : z.string().max(1000).optional(),
    password: newPassword,
  });
