import type { HandoffClaims } from "./handoff-token.ts";

export type HandoffDecision =
  | { do: "sign-in"; userId: string }
  | { do: "connect"; userId: string; email: string }
  | { do: "create"; email: string }
  /** `isTaken`: an account here has the address without having confirmed it. */
  | { do: "reject"; message: string; isTaken: boolean };

const ADDRESS_UNCONFIRMED_THERE =
  "Your email address isn’t confirmed in the app yet. Confirm it, then log in there again.";
const ADDRESS_UNCONFIRMED_HERE =
  "Someone opened an account with your email address here and never confirmed it. We’ve emailed you a link: choose a new password to make the account yours, then log in to the app again.";

/**
 * Which account a user handed over by the hosted app is signed in to: the one connected before, else the one with their
 * address, provided that both sides have confirmed it. Otherwise an account opened here with somebody else's address
 * would receive that person's plan when they arrive.
 */
export function decideHandoff(
  { email, isEmailVerified }: Pick<HandoffClaims, "email" | "isEmailVerified">,
  known: {
    /** The user this account of the hosted app is connected to. */
    accountOwnerId: string | null;
    /** The user with this address. */
    addressOwner: { id: string; email: string; emailVerified: boolean } | null;
  },
): HandoffDecision {
  const { accountOwnerId, addressOwner } = known;
  if (accountOwnerId !== null) return { do: "sign-in", userId: accountOwnerId };
  if (email === null || !isEmailVerified)
    return { do: "reject", message: ADDRESS_UNCONFIRMED_THERE, isTaken: false };
  if (!addressOwner) return { do: "create", email };
  if (!addressOwner.emailVerified) return { do: "reject", message: ADDRESS_UNCONFIRMED_HERE, isTaken: true };
  return { do: "connect", userId: addressOwner.id, email: addressOwner.email };
}
