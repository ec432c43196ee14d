import { randomInt } from "node:crypto";

/** Capital letters and digits without those that look or sound like another: 0 and O, 1, I and L, 2 and Z, 5 and S, 8 and B, U and V. */
const SYMBOLS = "ACDEFGHJKMNPQRTWXY34679";
const GROUPS = 5;
const GROUP_LENGTH = 4;

/** A promo code nobody can guess, such as K7QM-4XFA-9TRC-HWD3-6JEP: 20 of 23 symbols, which is 90 bits. */
export function randomPromoCode(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => SYMBOLS[randomInt(SYMBOLS.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}
