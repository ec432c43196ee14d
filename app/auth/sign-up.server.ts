import type { App } from "../http/context.server.ts";
import { type Failure, type FieldFailure, failure } from "../http/errors.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { createUser } from "./create-user.server.ts";
import { ADDRESS_TAKEN } from "./credentials.ts";
import { AUTH_LIMITS } from "./limits.ts";
import { hashPassword } from "./password-hash.server.ts";
import { judgeNewPassword } from "./password-rules.server.ts";
import { sendVerification } from "./verification.server.ts";

export interface NewAccount {
  name: string;
  email: string;
  password: string;
  /** Where they go on to once their address is confirmed, a path of this site. */
  returnTo?: string;
  /** By its IANA name, if their browser told. */
  timeZone?: string | null;
}

/** The address has an account already (decision 0011). */
export interface AddressTaken extends Failure {
  isAddressTaken: true;
}

/**
 * Makes an account with a password, and asks for its address to be confirmed.
 *
 * @param client as the limits count it
 * Failures: 400 of the field `password`: it will not do; 400 the address is taken; 429 too many by this client.
 */
export async function signUp(
  app: Pick<App, "config" | "db" | "log">,
  client: string,
  asked: NewAccount,
): Promise<{ ok: true; userId: string } | Failure | FieldFailure | AddressTaken> {
  const judged = await judgeNewPassword(app, client, asked.password, asked);
  if (!judged.ok) return judged;
  return withLimit(app, AUTH_LIMITS.signUpByClient, client, () => createAccount(app, asked));
}

async function createAccount(
  { config, db }: Pick<App, "config" | "db">,
  { name, email, password, returnTo, timeZone }: NewAccount,
): Promise<{ ok: true; userId: string } | AddressTaken> {
  const passwordHash = await hashPassword(password);
  const userId = await db.transaction(async (tx) => {
    const id = await createUser(tx, {
      name,
      email,
      emailVerified: false,
      timeZone,
      signIn: { passwordHash },
    });
    if (id) await sendVerification(tx, config.site, { id, email, returnTo });
    return id;
  });
  return userId ? { ok: true, userId } : { ...failure(400, ADDRESS_TAKEN), isAddressTaken: true };
}
