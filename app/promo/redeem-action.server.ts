import { parseWithZod } from "@conform-to/zod/v4";
import { data, redirect } from "react-router";
import { z } from "zod";
import { type RouteArgs, readUser, type SessionArgs } from "../auth/session.server.ts";
import { TIERS } from "../entitlements/tiers.ts";
import { type App, fromContext } from "../http/context.server.ts";
import { failure } from "../http/errors.ts";
import { isForPage } from "../http/form.server.ts";
import { pageUrl } from "../http/page-url.ts";
import { loginPath } from "../http/safe-path.ts";
import { toFailure } from "../http/unavailable.server.ts";
import { answerAbout, withinGuesses } from "./check.server.ts";
import type { PromoAnswer } from "./promo-answer.ts";
import { lookAtCode, type Redemption, redeemPromoCode } from "./redeem.server.ts";
import { normalizePromoCode, PROMO_INPUT_MAX_LENGTH, PROMO_MESSAGES } from "./rules.ts";

declare module "../http/context.server.ts" {
  interface RequestState {
    /** The page then does not check the code in its URL. */
    isCodeJudged?: boolean;
  }
}

export const promoForm = z.object({
  code: z
    .string({ error: PROMO_MESSAGES.empty })
    .max(PROMO_INPUT_MAX_LENGTH, { error: PROMO_MESSAGES.invalid, abort: true })
    .trim()
    .min(1, PROMO_MESSAGES.empty),
  /** Spec §5: an unknown tier counts as the default. */
  tier: z.enum(TIERS).catch("basic").default("basic"),
  intent: z.enum(["apply", "check"]).catch("apply").default("apply"),
  /** The later start that the user has agreed to: see `canApply` in rules.ts. */
  confirmed: z.string().max(100).optional().catch(undefined),
});

/** Visitors may open it (spec §6). The form tells them to log in (spec §5). */
const OPEN_PAGE = "/test-promo";

/** Applies a code, or only checks it. Signed out, redirects to login and back. @param page the form's path */
async function redeemAction(args: SessionArgs, form: FormData, page: string) {
  const submission = parseWithZod(form, { schema: promoForm });
  const answer = (given: Omit<PromoAnswer, "result">, init?: ResponseInit) =>
    data<PromoAnswer>({ result: submission.reply(), ...given }, init);
  if (submission.status !== "success") return answer({}, { status: 400 });

  const { app, state } = fromContext(args.context);
  // Checking the code in the next page's URL would count as another try.
  state.isCodeJudged = true;
  if (submission.value.intent === "check") {
    // `undefined`: the database is away, which the answer reports.
    const user = await readUser(args).catch(() => undefined);
    if (user === null) throw redirectToLogin(page, submission.value.code);
    return answer({ checked: await answerAbout(app, state, user ?? null, submission.value) });
  }

  const outcome = await redeemFor(args, submission.value, page).catch((error: unknown) => {
    if (error instanceof Response) throw error;
    return toFailure(fromContext(args.context), error, PROMO_MESSAGES.failed, PROMO_MESSAGES.failed);
  });
  app.telemetry.meters.record("promo_redemptions_total", { result: resultOf(outcome) });
  if (outcome.ok) {
    const { code, tier, expiresAt, isRepeat } = outcome;
    return answer({ redeemed: { code, tier, expiresAt, isRepeat } });
  }
  if ("unused" in outcome) return answer({ unused: outcome.unused }, { status: 409 });
  const { status, message, headers } = outcome;
  const result = submission.reply({ fieldErrors: { code: [message] } });
  return data<PromoAnswer>({ result }, { status, headers });
}

/** A document is redirected, so that reloading sends nothing again. */
export async function redeemOnPage(args: RouteArgs, form: FormData, page: string) {
  const isDocument = isForPage(args.request);
  const { searchParams: query } = pageUrl(args.request);
  query.delete("redeemed");
  const sent = promoForm.safeParse(Object.fromEntries(form));
  if (isDocument && sent.success && sent.data.intent === "check") {
    const user = await readUser(args).catch(() => null);
    query.set("promo", sent.data.code);
    query.set("tier", sent.data.tier);
    if (user) throw redirect(`${page}?${query}`, 303);
  }
  const answered = await redeemAction(args, form, page);
  const { redeemed } = answered.data;
  if (!isDocument || !redeemed) return answered;
  throw redirect(
    `${page}?${new URLSearchParams({ redeemed: redeemed.code, ...(redeemed.isRepeat && { again: "" }) })}`,
    303,
  );
}

/** `undefined` unless this user has redeemed the code. */
export async function readRedeemed(
  { db, config }: Pick<App, "db" | "config">,
  user: { id: string; email: string },
  url: string,
): Promise<PromoAnswer | undefined> {
  const query = new URL(url).searchParams;
  const code = normalizePromoCode(query.get("redeemed") ?? "");
  const earlier = (await lookAtCode(db, config, code, user))?.earlier;
  if (!earlier?.isLive) return undefined;
  const { tier, expiresAt } = earlier;
  return { result: {}, redeemed: { code, tier, expiresAt, isRepeat: query.has("again") } };
}

function resultOf(outcome: Redemption) {
  if (outcome.ok) return outcome.isRepeat ? "repeated" : "redeemed";
  if ("unused" in outcome) return "unused";
  if (outcome.status === 429) return "limited";
  return outcome.status < 500 ? "refused" : "failed";
}

/** @throws a redirect to /login when signed out, unless visitors may open the page */
async function redeemFor(
  args: SessionArgs,
  input: z.output<typeof promoForm>,
  page: string,
): Promise<Redemption> {
  const { app, state } = fromContext(args.context);
  const user = await readUser(args);
  if (!user && page === OPEN_PAGE) return failure(401, PROMO_MESSAGES.signedOut);
  if (!user) throw redirectToLogin(page, input.code);
  const done = await withinGuesses(app, { user, client: state.client }, async () => {
    const redemption = await redeemPromoCode(app, user.id, input);
    // Only a wrong code is a guess.
    const isGuess = "status" in redemption && redemption.status === 400;
    return { ok: !isGuess, redemption };
  });
  return "redemption" in done ? done.redemption : done;
}

function redirectToLogin(page: string, code: string): Response {
  return redirect(loginPath(`${page}?${new URLSearchParams({ promo: code })}`, "promo"), 303);
}
