import { randomInt } from "node:crypto";

/** Digits and letters that cannot be taken for one another, as 0 and o or 1, i and l can. */
const ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz";
const REFERRAL_CODE_LENGTH = 10;

/** What stands in the link to give to friends: one of 31¹⁰, so that nobody finds one by trying. */
export function createReferralCode(): string {
  return Array.from({ length: REFERRAL_CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}
