import type { Intent, Provider } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

/** What a provider says of a person. */
export interface Identity {
  provider: Provider;
  /** The provider's id for them, which never changes. */
  accountId: string;
  /** `null` when the provider told none, or one that nobody can write to. */
  email: string | null;
  /** Whether the provider says that the address is theirs, and its word counts: Google's may, Facebook's never does. */
  isEmailVerified: boolean;
  name: string;
  image: string | null;
}

/** A user of ours, as far as linking depends on them. */
export interface Owner {
  userId: string;
  isEmailVerified: boolean;
  hasPassword: boolean;
  providers: Provider[];
}

export interface Situation {
  intent: Intent;
  identity: Pick<Identity, "provider" | "email" | "isEmailVerified">;
  identityOwnerId: string | null;
  /** For signing in: the user with the address. Otherwise: the signed-in user. */
  owner: Owner | null;
}

export type Decision =
  | { do: "sign in"; userId: string }
  | { do: "create"; email: string; isEmailVerified: boolean }
  | { do: "link"; userId: string }
  | { do: "reject"; error: SignInError };

/**
 * What to do with an identity that a provider vouches for: the table of docs/integrate.md. An address alone opens an account
 * only when both sides have proved it, and never on Facebook's word.
 */
export function decideLinking(situation: Situation): Decision {
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
  return { do: "reject", error };
}
