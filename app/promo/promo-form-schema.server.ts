import { z } from "zod";
import { TIERS } from "../entitlements/tiers.ts";
import { PROMO_INPUT_MAX_LENGTH, PROMO_MESSAGES } from "./rules.ts";

export const promoForm = z.object({
  code: z
    .string({ error: PROMO_MESSAGES.empty })
    .max(PROMO_INPUT_MAX_LENGTH, { error: PROMO_MESSAGES.invalid, abort: true })
    .trim()
    .min(1, PROMO_MESSAGES.empty),
  /** An unknown tier counts as the default (spec §5). */
  tier: z.enum(TIERS).catch("basic").default("basic"),
  /** Whether the code is only to be looked at. */
  intent: z.enum(["apply", "check"]).catch("apply").default("apply"),
  /** The later start the user has agreed to: see `canApply` in rules.ts. */
  confirmed: z.string().max(100).optional().catch(undefined),
});
