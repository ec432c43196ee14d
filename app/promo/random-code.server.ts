import { randomInt } from "node:crypto";
import type { Queryable } from "../db/client.server.ts";
import { promoCodes } from "./schema.ts";

/** Without those that look or sound alike: 0 and O, 1, I and L, 2 and Z, 5 and S, 8 and B, U and V. */
const SYMBOLS = "ACDEFGHJKMNPQRTWXY34679";
const GROUPS = 5;
const GROUP_LENGTH = 4;

/** Such as K7QM-4XFA-9TRC-HWD3-6JEP: 20 of 23 symbols, 90 bits. */
export function randomPromoCode(): string {
  const group = () => Array.from({ length: GROUP_LENGTH }, () => SYMBOLS[randomInt(SYMBOLS.length)]).join("");
  return Array.from({ length: GROUPS }, group).join("-");
}

export async function createPersonalCodes(
  tx: Queryable,
  count: number,
  terms: Pick<typeof promoCodes.$inferSelect, "tier" | "durationMonths" | "expiresAt" | "note">,
): Promise<string[]> {
  const codes = Array.from({ length: count }, randomPromoCode);
  if (count > 0)
    await tx.insert(promoCodes).values(
      codes.map((code) => ({
        code,
        ...terms,
        durationType: "months" as const,
        maxUses: 1,
        isSingle: false,
      })),
    );
  return codes;
}
