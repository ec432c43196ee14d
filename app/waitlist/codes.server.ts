import { randomInt } from "node:crypto";

/** Without characters that are easily confused: 0 and o; 1, i and l. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const REFERRAL_CODE_LENGTH = 10;

/** The public code in a referral link: one of 31¹⁰, too many to guess. */
export function createReferralCode(): string {
  return Array.from({ length: REFERRAL_CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}
