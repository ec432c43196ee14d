import type { App } from "../http/context.server.ts";
import type { Failure } from "../http/errors.ts";
import { WRONG_PASSWORD } from "./credentials.ts";
import { tryPassword } from "./password-tries.server.ts";
import { checkPassword, findPasswordOf, type StoredPassword } from "./passwords.server.ts";
import type { NotingApp } from "./refusals.server.ts";
import type { SignedInUser } from "./sessions.server.ts";

/**
 * Checks the password of a signed-in user, within the limits: the one place below /account where passwords are tried.
 *
 * @param client as the limits count it
 * Failures: 400 it is not; 429 too many tries.
 */
export function confirmPassword(
  app: NotingApp & Pick<App, "db">,
  client: string,
  user: SignedInUser,
  password: string,
): Promise<{ ok: true; found: StoredPassword } | Failure> {
  return tryPassword(app, { client, email: user.email, userId: user.id }, WRONG_PASSWORD, async () => {
    const stored = await findPasswordOf(app.db, user.id);
    return checkPassword(app.db, stored, password);
  });
}
