import type { Intent, Provider } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

/** Who a provider says somebody is. */
export interface Identity {
  provider: Provider;
  /** The provider's own name for them, which never changes. */
  accountId: string;
  /** `null`: the provider did not tell one, or told one nobody can write to. */
  email: string | null;
  /** Whether the address is theirs on the word of somebody whose word for it counts: Google's does, Facebook's never. */
  isEmailVerified: boolean;
  name: string;
  /** The address of their photo. */
  image: string | null;
}

/** One of our users, as far as linking depends on them. */
export interface Owner {
  userId: string;
  isEmailVerified: boolean;
  hasPassword: boolean;
  /** Where they can sign in beside that. */
  providers: Provider[];
}

export interface Situation {
  intent: Intent;
  identity: Pick<Identity, "provider" | "email" | "isEmailVerified">;
  /** Whose way in this very identity is already. */
  identityOwnerId: string | null;
  /** For signing in: who has the address. Otherwise: who is signed in. */
  owner: Owner | null;
}

export type Decision =
  | { do: "sign in"; userId: string }
  | { do: "create"; email: string; isEmailVerified: boolean }
  | { do: "link"; userId: string }
  | { do: "refuse"; error: SignInError };

/**
 * What to do with somebody who comes from a provider: the table of docs/linking.md. An address alone opens an account
 * only when both sides have proved it, and never on Facebook's word.
 */
export function decide(situation: Situation): Decision {
  switch (situation.intent) {
    case "sign_in":
      return decideSignIn(situation);
    case "connect":
      return decideConnect(situation);
    case "confirm":
      return decideConfirm(situation);
  }
}

function decideSignIn({ identity, identityOwnerId, owner }: Situation): Decision {
  if (identityOwnerId) return { do: "sign in", userId: identityOwnerId };
  const { provider, email, isEmailVerified } = identity;
  if (!email) return refusal("email-missing");
  if (!owner) return { do: "create", email, isEmailVerified };
  if (!owner.isEmailVerified) return refusal("address-unconfirmed");
  if (owner.providers.includes("google")) return refusal("account-exists-google");
  if (provider === "google" && isEmailVerified) return { do: "link", userId: owner.userId };
  const isFacebookOnly = owner.providers.includes("facebook") && !owner.hasPassword;
  return refusal(isFacebookOnly ? "account-exists-facebook" : "account-exists");
}

function decideConnect({ identity, identityOwnerId, owner }: Situation): Decision {
  if (!owner) return refusal("signed-out");
  if (identityOwnerId === owner.userId) return { do: "sign in", userId: owner.userId };
  if (identityOwnerId) return refusal("identity-taken");
  if (owner.providers.includes(identity.provider)) return refusal("provider-connected");
  if (!owner.isEmailVerified) return refusal("email-unverified");
  return { do: "link", userId: owner.userId };
}

function decideConfirm({ identityOwnerId, owner }: Situation): Decision {
  if (!owner) return refusal("signed-out");
  if (identityOwnerId !== owner.userId) return refusal("user-mismatch");
  return { do: "sign in", userId: owner.userId };
}

function refusal(error: SignInError): Decision {
  return { do: "refuse", error };
}
