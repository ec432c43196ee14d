import type { App } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { createUser } from "./create-user.server.ts";
import { ADDRESS_TAKEN } from "./credentials.ts";
import { hashPassword } from "./passwords.server.ts";
import { sendVerification } from "./verification.server.ts";

/**
 * Makes an account with a password, and writes to its address to ask whether it is theirs.
 *
 * Failures: 400 the address has an account (decision 0011).
 */
export async function signUp(
  app: Pick<App, "auth" | "config" | "db">,
  asked: { name: string; email: string; password: string },
): Promise<{ ok: true; userId: string } | Failure> {
  const { name, email, password } = asked;
  const passwordHash = await hashPassword(app, password);
  const userId = await app.db.transaction(async (tx) => {
    const id = await createUser(tx, { name, email, emailVerified: false, signIn: { passwordHash } });
    if (id) await sendVerification(tx, app.config.site, { id, email });
    return id;
  });
  if (!userId) return failure(400, ADDRESS_TAKEN);
  return { ok: true, userId };
}
