import { createHash } from "node:crypto";
import { z } from "zod";
import type { Context, Provider } from "./identity.ts";

export interface Person {
  name: string;
  email: string;
  isVerified: boolean;
  sharesEmail: boolean;
}

/** Two people with an account at both providers, and one per provider with an unusual sign-in there. */
const AT_BOTH = [person("Ada Lovelace", "ada@example.com"), person("Grace Hopper", "grace@example.com")];
export const PEOPLE: Record<Provider, Person[]> = {
  google: [...AT_BOTH, { ...person("Unverified Ursula", "unverified@example.com"), isVerified: false }],
  facebook: [...AT_BOTH, { ...person("No Email Noel", "no-email@example.com"), sharesEmail: false }],
};

/** The person with this address: one of those above, or a new one. */
export function personAt(provider: Provider, email: string): Person {
  const known = PEOPLE[provider].find((each) => each.email === email.toLowerCase());
  return known ? { ...known, email } : person(email.split("@", 1).join(), email);
}

function person(name: string, email: string): Person {
  return { name, email, isVerified: true, sharesEmail: true };
}

/** Claims the product receives (OpenID Connect Core §5.1); withheld ones are absent. */
export interface Account {
  sub: string;
  name?: string;
  picture?: string;
  email?: string;
  email_verified?: boolean;
}

export function accountOf(
  provider: Provider,
  { name, email, isVerified, sharesEmail }: Person,
  scope: string,
  { knobs, publicOrigin }: Context,
): Account {
  const scopes = scope.split(/[ ,]+/);
  // Facebook's public profile comes with every scope.
  const showsProfile = provider === "facebook" || scopes.includes("profile");
  const showsEmail = sharesEmail && knobs.email === "send" && scopes.includes("email");
  return {
    sub: subjectOf(provider, email),
    ...(showsProfile && { name, picture: pictureOf(name, publicOrigin) }),
    ...(showsEmail && { email, email_verified: knobs.email_verified ?? isVerified }),
  };
}

/** Derived from provider and address, and as long as the provider's ids: 21 digits at Google, 17 at Facebook. */
function subjectOf(provider: Provider, email: string): string {
  const digits = provider === "google" ? 20 : 16;
  const hash = createHash("sha256").update(`${provider}:${email.toLowerCase()}`).digest("hex");
  return `1${String(BigInt(`0x${hash}`) % 10n ** BigInt(digits)).padStart(digits, "0")}`;
}

function pictureOf(name: string, publicOrigin: string): string {
  const [letter = ""] = /[a-z0-9]/i.exec(name) ?? [];
  return `${publicOrigin}/sandbox/identity/picture.svg?letter=${letter.toUpperCase()}`;
}

export async function drawPicture({ url }: Context): Promise<Response> {
  const letter = /^[A-Z0-9]$/.exec(url.searchParams.get("letter") ?? "")?.[0] ?? "";
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96">
  <rect width="96" height="96" fill="#ffe48a"/>
  <text x="48" y="66" font-family="Georgia, serif" font-size="54" fill="#1c1a15" text-anchor="middle">${letter}</text>
</svg>
`;
  return new Response(svg, {
    headers: {
      "content-type": "image/svg+xml",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
    },
  });
}

/** What `<input type=email>` accepts (HTML Standard), of a length that mail servers accept (RFC 5321 §4.5.3.1). */
export function isEmailAddress(text: string): boolean {
  return text.length <= 254 && text.indexOf("@") <= 64 && z.regexes.html5Email.test(text);
}
