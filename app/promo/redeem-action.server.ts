import { parseWithZod } from "@conform-to/zod/v4";
import { data, redirect } from "react-router";
import type { z } from "zod";
import type { SignedInUser } from "../account/auth.server.ts";
import type { App, RequestState } from "../context.server.ts";
import { failure } from "../http/errors.ts";
import { LIMITS } from "../http/limits.ts";
import { loginPath } from "../http/safe-path.ts";
import { withLimit } from "../http/with-limit.server.ts";
import { promoForm } from "./promo-form-schema.ts";
import { redeemPromoCode } from "./redeem.server.ts";
import { PROMO_MESSAGES } from "./rules.ts";

/**
 * What a page with a promo form does when it is sent. Somebody whose session has ended signs in again and finds
 * the code where they left it.
 *
 * @param page the path of the page the form is on
 */
export async function redeemAction(
  { app, state }: { app: App; state: RequestState },
  user: SignedInUser | null,
  formData: FormData,
  page: string,
) {
  const submission = parseWithZod(formData, { schema: promoForm });
  if (submission.status !== "success")
    return data({ result: submission.reply(), redeemed: null }, { status: 400 });
  const { code } = submission.value;
  if (!user) throw redirect(loginPath(`${page}?${new URLSearchParams({ promo: code })}`, "promo"), 303);

  const redemption = await redeemInTurn(app, user.id, submission.value).catch((error: unknown) => {
    app.log.error({ error, id: state.id }, PROMO_MESSAGES.failed);
    return failure(500, PROMO_MESSAGES.failed);
  });
  if (redemption.ok) {
    const { code, tier, expiresAt, isRepeat } = redemption;
    return data({ result: submission.reply(), redeemed: { code, tier, expiresAt, isRepeat } });
  }
  const { status, message, headers } = redemption;
  const result = submission.reply({ fieldErrors: { code: [message] } });
  return data({ result, redeemed: null }, { status, headers });
}

/** Only codes that were wrong count, so that nobody pays for having many that are right. */
function redeemInTurn(app: App, userId: string, wanted: z.output<typeof promoForm>) {
  return withLimit(app, LIMITS.promoByUser, userId, async () => {
    const redemption = await redeemPromoCode(app.db, userId, wanted);
    return redemption.ok ? redemption : failure(400, redemption.message);
  });
}
