import { data } from "react-router";
import { whyFailed } from "../ui/send-form.ts";
import type { PromoAnswer } from "./promo-answer.ts";
import { PROMO_MESSAGES } from "./rules.ts";

/** What a page with a promo form answers when the server cannot be asked, beside what was typed. */
export function promoUnsent(error: unknown) {
  whyFailed(error);
  const result = {
    status: "error" as const,
    error: { code: [PROMO_MESSAGES.failed] },
  };
  return data<PromoAnswer>({ result, redeemed: null, unused: null, checked: null }, 503);
}
