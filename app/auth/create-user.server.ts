import { randomUUID } from "node:crypto";
import type { Queryable } from "../db/client.server.ts";
import { noteEvent } from "../telemetry/events.ts";
import { connectIdentity, type ProviderIdentity } from "./identity-owner.server.ts";
import { user } from "./schema.ts";
import { setPassword } from "./set-password.server.ts";

export interface NewUser {
  email: string;
  name: string;
  /** Whether a trusted provider says that the address is theirs. */
  emailVerified: boolean;
  image?: string | null;
  timeZone?: string | null;
  /** The first sign-in method. */
  signIn: { passwordHash: string } | ProviderIdentity;
}

/**
 * Makes an account with its first sign-in method: the one place where users come from.
 *
 * @returns the user's id, or `null` when the address has an account already
 */
export async function createUser(tx: Queryable, asked: NewUser): Promise<string | null> {
  const id = randomUUID();
  const { email, name, emailVerified, image, timeZone, signIn } = asked;
  const [made] = await tx
    .insert(user)
    .values({ id, email: email.toLowerCase(), name, emailVerified, image, timeZone })
    .onConflictDoNothing({ target: user.email })
    .returning({ id: user.id });
  if (!made) return null;
  if ("passwordHash" in signIn) await setPassword(tx, id, signIn.passwordHash);
  else await connectIdentity(tx, id, signIn);
  noteEvent(tx, { event: "signed_up", userId: id });
  return id;
}
