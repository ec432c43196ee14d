import type { Queryable } from "../db/client.server.ts";
import type { Tier } from "../entitlements/tiers.ts";
import { randomPromoCode } from "./random-code.server.ts";
import { promoCodes } from "./schema.ts";

/** What the codes of one purpose give. */
export interface PersonalTerms {
  tier: Tier;
  durationMonths: number;
  expiresAt: Date | null;
  note: string;
}

/** Creates codes for one person each: nobody can guess them, and each can be redeemed once. */
export async function createPersonalCodes(
  tx: Queryable,
  count: number,
  terms: PersonalTerms,
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
