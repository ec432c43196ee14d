import type { App } from "../http/context.server.ts";
import type { Failure } from "../http/errors.ts";
import type { SignedInUser } from "./auth.server.ts";
import { WRONG_PASSWORD } from "./credentials.ts";
import { tryPassword } from "./password-tries.server.ts";
import { checkPassword, findPasswordOf, type KeptPassword } from "./passwords.server.ts";

/**
 * The password of a user when this is it: the one place below /account where passwords are tried.
 *
 * Failures: 400 it is not; 429 too many tries.
 */
export function confirmPassword(
  app: Pick<App, "auth" | "config" | "db" | "log">,
  user: SignedInUser,
  password: string,
): Promise<{ ok: true; found: KeptPassword } | Failure> {
  return tryPassword(app, { userId: user.id }, WRONG_PASSWORD, async () => {
    const kept = await findPasswordOf(app.db, user.id);
    return checkPassword(app, kept, password);
  });
}
