import { parseWithZod } from "@conform-to/zod/v4";
import { data, redirect } from "react-router";
import type { z } from "zod";
import { type RouteArgs, readUser } from "../auth/session.server.ts";
import { type App, fromContext } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { loginPath } from "../http/safe-path.ts";
import { describeFault } from "../http/unavailable.server.ts";
import { LIMITS } from "../limits/limits.ts";
import { withLimit } from "../limits/with-limit.server.ts";
import type { PromoAnswer } from "./promo-answer.ts";
import { promoForm } from "./promo-form-schema.ts";
import { type Redemption, redeemPromoCode } from "./redeem.server.ts";
import { PROMO_MESSAGES } from "./rules.ts";

/**
 * The action of a page with a promo form. Somebody whose session has ended is sent to sign in, and comes back to the
 * code they typed.
 *
 * @param page the page's path
 */
export async function redeemAction(args: RouteArgs, formData: FormData, page: string) {
  const submission = parseWithZod(formData, { schema: promoForm });
  if (submission.status !== "success") return answer({ result: submission.reply() }, { status: 400 });

  const outcome = await redeemFor(args, submission.value, page).catch((error: unknown) => {
    if (error instanceof Response) throw error;
    return describeFault(fromContext(args.context), error, PROMO_MESSAGES.failed, PROMO_MESSAGES.failed);
  });
  if (outcome.ok) {
    const { code, tier, expiresAt, isRepeat } = outcome;
    return answer({ result: submission.reply(), redeemed: { code, tier, expiresAt, isRepeat } });
  }
  if ("unused" in outcome)
    return answer({ result: submission.reply(), unused: outcome.unused }, { status: 409 });
  const { status, message, headers } = outcome;
  return answer({ result: submission.reply({ fieldErrors: { code: [message] } }) }, { status, headers });
}

function answer(
  { result, redeemed = null, unused = null }: Pick<PromoAnswer, "result"> & Partial<PromoAnswer>,
  init?: { status: number; headers?: Record<string, string> },
) {
  return data<PromoAnswer>({ result, redeemed, unused }, init);
}

type Outcome = Exclude<Redemption, { message: string }> | Failure;

/** @throws a redirect to /login for anyone signed out */
async function redeemFor(
  args: RouteArgs,
  wanted: z.output<typeof promoForm>,
  page: string,
): Promise<Outcome> {
  const { app, state } = fromContext(args.context);
  const user = await readUser(args);
  if (!user) {
    const returnTo = `${page}?${new URLSearchParams({ promo: wanted.code })}`;
    throw redirect(loginPath(returnTo, "promo"), 303);
  }
  return redeemWithinLimits(app, state.client, user.id, wanted);
}

/** Only wrong codes count towards the limits. */
async function redeemWithinLimits(
  app: App,
  client: string,
  userId: string,
  wanted: z.output<typeof promoForm>,
): Promise<Outcome> {
  const tried = await withLimit(app, LIMITS.promoByUser, userId, async () => {
    const tried = await withLimit(app, LIMITS.promoByClient, client, async () => {
      const redemption = await redeemPromoCode(app, userId, wanted);
      if (!("message" in redemption)) return { ok: true as const, outcome: redemption };
      const { message } = redemption;
      // The account was deleted in the meantime.
      const isGone = message === PROMO_MESSAGES.signedOut;
      return { ok: isGone, outcome: failure(isGone ? 401 : 400, message) };
    });
    return "outcome" in tried ? tried : { ok: true, outcome: tried };
  });
  return "outcome" in tried ? tried.outcome : tried;
}
