import { createHash } from "node:crypto";
import type { Face } from "./clients.ts";
import type { Knobs } from "./control.ts";

/** Somebody who may sign in, as a face knows them. */
export interface Person {
  name: string;
  email: string;
  /** Whether the face knows that the address is theirs. */
  isVerified: boolean;
  /** Whether they let the product see the address. */
  sharesEmail: boolean;
}

/** Known at both faces, and at each the one whose sign-in is out of the ordinary there. */
export const people: Record<Face, Person[]> = {
  google: [
    person("Ada Lovelace", "ada@example.com"),
    person("Grace Hopper", "grace@example.com"),
    { ...person("Unverified Ursula", "unverified@example.com"), isVerified: false },
  ],
  facebook: [
    person("Ada Lovelace", "ada@example.com"),
    person("Grace Hopper", "grace@example.com"),
    { ...person("No Email Noel", "no-email@example.com"), sharesEmail: false },
  ],
};

/** Whoever has this address: one of the people above, or somebody made on the fly. */
export function personAt(face: Face, email: string): Person {
  const known = people[face].find((each) => each.email === email.toLowerCase());
  return known ? { ...known, email } : person(email.split("@", 1).join(), email);
}

function person(name: string, email: string): Person {
  return { name, email, isVerified: true, sharesEmail: true };
}

/** What the product learns, in the words of OpenID Connect Core §5.1; what it may not know is absent. */
export interface Account {
  sub: string;
  name?: string;
  picture?: string;
  email?: string;
  email_verified?: boolean;
}

/** What a face tells about a person to whoever asked with this scope. */
export function accountOf(
  face: Face,
  { name, email, isVerified, sharesEmail }: Person,
  scope: string,
  { knobs, publicOrigin }: { knobs: Knobs; publicOrigin: string },
): Account {
  const scopes = scope.split(/[ ,]+/);
  // Facebook gives the public profile to everybody who may ask anything.
  const showsProfile = face === "facebook" || scopes.includes("profile");
  const showsEmail = sharesEmail && knobs.email === "send" && scopes.includes("email");
  return {
    sub: subjectOf(face, email),
    ...(showsProfile && { name, picture: pictureOf(name, publicOrigin) }),
    ...(showsEmail && { email, email_verified: knobs.email_verified ?? isVerified }),
  };
}

/** Always the same for an address at a face, and of that face's length: 21 digits at Google, 17 at Facebook. */
function subjectOf(face: Face, email: string): string {
  const digits = face === "google" ? 20 : 16;
  const hash = createHash("sha256").update(`${face}:${email.toLowerCase()}`).digest("hex");
  return `1${String(BigInt(`0x${hash}`) % 10n ** BigInt(digits)).padStart(digits, "0")}`;
}

function pictureOf(name: string, publicOrigin: string): string {
  const [letter = ""] = /[a-z0-9]/i.exec(name) ?? [];
  return `${publicOrigin}/sandbox/identity/picture.svg?letter=${letter.toUpperCase()}`;
}
