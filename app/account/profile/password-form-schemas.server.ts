import { z } from "zod";
import { newPassword } from "../../auth/credential-forms.server.ts";
import { WRONG_PASSWORD } from "../../auth/credentials.ts";

const currentPassword = z.string({ error: "Enter your password" }).max(1000, WRONG_PASSWORD);

export const confirmForm = z.object({ password: currentPassword });

/** @param hasPassword whether the current password is asked for */
export function passwordForm(hasPassword: boolean) {
  return z.object({
    current_password: hasPassword ? currentPassword : z.string().max(1000).optional(),
    password: newPassword,
  });
}
