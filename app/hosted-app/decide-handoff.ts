import type { HandedOver } from "./handoff-token.ts";

export type HandoffDecision =
  | { do: "sign-in"; userId: string }
  | { do: "connect"; userId: string; email: string }
  | { do: "create"; email: string }
  /** `isTaken`: somebody who never confirmed the address opened an account with it. */
  | { do: "refuse"; message: string; isTaken: boolean };

const ADDRESS_UNCONFIRMED_THERE =
  "Your email address is not confirmed there yet. Confirm it, then log in there again.";
const ADDRESS_UNCONFIRMED_HERE =
  "Somebody opened an account with your email address here and never confirmed it. We have emailed you a link: choose a new password there to make the account yours, then log in there again.";

/**
 * Into which account somebody comes whom the hosted app hands over: the one they came into before, else the one with
 * their address, as long as both sides know that the address is theirs. Whoever typed a stranger's address here must
 * not get the stranger's plan when the stranger arrives.
 */
export function decideHandoff(
  { email, isEmailVerified }: Pick<HandedOver, "email" | "isEmailVerified">,
  known: {
    /** Who came with this very account before. */
    accountOwnerId: string | null;
    /** Who has the address. */
    addressOwner: { id: string; email: string; emailVerified: boolean } | null;
  },
): HandoffDecision {
  const { accountOwnerId, addressOwner } = known;
  if (accountOwnerId !== null) return { do: "sign-in", userId: accountOwnerId };
  if (email === null || !isEmailVerified)
    return { do: "refuse", message: ADDRESS_UNCONFIRMED_THERE, isTaken: false };
  if (!addressOwner) return { do: "create", email };
  if (!addressOwner.emailVerified) return { do: "refuse", message: ADDRESS_UNCONFIRMED_HERE, isTaken: true };
  return { do: "connect", userId: addressOwner.id, email: addressOwner.email };
}
