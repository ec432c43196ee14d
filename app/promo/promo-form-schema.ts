import { z } from "zod";
import { TIERS } from "../entitlements/tiers.ts";
import { LONGEST_PROMO_INPUT, PROMO_MESSAGES } from "./rules.ts";

export const promoForm = z.object({
  code: z
    .string({ error: PROMO_MESSAGES.empty })
    .max(LONGEST_PROMO_INPUT, { error: PROMO_MESSAGES.invalid, abort: true })
    .trim()
    .min(1, PROMO_MESSAGES.empty),
  /** Anything else than a tier counts as the default (spec §5). */
  tier: z.enum(TIERS).catch("basic").default("basic"),
  /** The start that was agreed to, when the code only follows what its user has: see rules.ts. */
  confirmed: z.string().max(100).optional().catch(undefined),
});
