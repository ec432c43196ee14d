import { randomInt } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A new id in Stripe's manner: what it names, then random letters and digits: `cus_4fR…`. */
export function newId(
  prefix: "cus" | "prod" | "price" | "cs_test" | "sub" | "si" | "in" | "evt" | "req",
): string {
  const letters = Array.from({ length: 24 }, () => alphabet[randomInt(alphabet.length)]);
  return `${prefix}_${letters.join("")}`;
}
