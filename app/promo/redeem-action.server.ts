import { parseWithZod } from "@conform-to/zod/v4";
import { data, redirect } from "react-router";
import { z } from "zod";
import { type RouteArgs, readUser, type SessionArgs } from "../auth/session.server.ts";
import { TIERS } from "../entitlements/tiers.ts";
import { type App, fromContext } from "../http/context.server.ts";
import { type Failure, failure } from "../http/errors.ts";
import { isForPage } from "../http/form.server.ts";
import { pageUrl } from "../http/page-url.ts";
import { loginPath } from "../http/safe-path.ts";
import { toFailure } from "../http/unavailable.server.ts";
import { answerAbout, withinGuesses } from "./check.server.ts";
import type { PromoAnswer, Redemption } from "./promo-answer.ts";
import { lookAtCode, redeemPromoCode } from "./redeem.server.ts";
import { normalisePromoCode, PROMO_INPUT_MAX_LENGTH, PROMO_MESSAGES } from "./rules.ts";

declare module "../http/context.server.ts" {
  interface RequestState {
    /** Whether this request has answered about a code, so that the page need not look at the one in its address. */
    isCodeJudged?: boolean;
  }
}

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

/** Open to visitors (spec §6), who are told beside the code that they must be logged in (spec §5). */
const OPEN_PAGE = "/test-promo";

/**
 * The action of a page with a promo form: applies the code, or only says what it would do. A user whose session has ended is sent to log in and returns to the page with
 * the code filled in.
 *
 * @param page the path of the page with the form
 */
async function redeemAction(args: SessionArgs, formData: FormData | URLSearchParams, page: string) {
  const submission = parseWithZod(formData, { schema: promoForm });
  if (submission.status !== "success") return answer({ result: submission.reply() }, { status: 400 });

  const { app, state } = fromContext(args.context);
  // The page loads after it: what it says of the code in its own address would count as another try.
  state.isCodeJudged = true;
  if (submission.value.intent === "check") {
    // `undefined`: the database is away, which the answer says.
    const user = await readUser(args).catch(() => undefined);
    if (user === null) throw redirectToLogin(page, submission.value.code);
    return answer({
      result: submission.reply(),
      checked: await answerAbout(app, state, user ?? null, submission.value),
    });
  }

  const outcome = await redeemFor(args, submission.value, page).catch((error: unknown) => {
    if (error instanceof Response) throw error;
    return toFailure(fromContext(args.context), error, PROMO_MESSAGES.failed, PROMO_MESSAGES.failed);
  });
  app.telemetry.meters.record("promo_redemptions_total", { result: resultOf(outcome) });
  if (outcome.ok) {
    const { code, tier, expiresAt, isRepeat } = outcome;
    return answer({ result: submission.reply(), redeemed: { code, tier, expiresAt, isRepeat } });
  }
  if ("unused" in outcome)
    return answer({ result: submission.reply(), unused: outcome.unused }, { status: 409 });
  const { status, message, headers } = outcome;
  return answer({ result: submission.reply({ fieldErrors: { code: [message] } }) }, { status, headers });
}

/**
 * The same for the page itself: what a browser asks for as a document gets an address of its own, so that reloading it and going
 * back to it send nothing again.
 */
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

/** What `redeemOnPage` has led to: a success, of nobody but who has it. */
export async function readRedeemed(
  { db, config }: Pick<App, "db" | "config">,
  user: { id: string; email: string },
  url: string,
): Promise<PromoAnswer | undefined> {
  const query = new URL(url).searchParams;
  const code = normalisePromoCode(query.get("redeemed") ?? "");
  const earlier = (await lookAtCode(db, config, code, user))?.earlier;
  if (!earlier?.isLive) return undefined;
  const { tier, expiresAt } = earlier;
  const redeemed = { code, tier, expiresAt, isRepeat: query.has("again") };
  return { result: {}, redeemed, unused: null, checked: null };
}

function resultOf(outcome: Outcome) {
  if (outcome.ok) return outcome.isRepeat ? "repeated" : "redeemed";
  if ("unused" in outcome) return "unused";
  if (outcome.status === 429) return "limited";
  return outcome.status < 500 ? "refused" : "failed";
}

function answer(
  {
    result,
    redeemed = null,
    unused = null,
    checked = null,
  }: Pick<PromoAnswer, "result"> & Partial<PromoAnswer>,
  init?: { status: number; headers?: Record<string, string> },
) {
  return data<PromoAnswer>({ result, redeemed, unused, checked }, init);
}

type Outcome = Exclude<Redemption, { message: string }> | Failure;

/** @throws a redirect to /login when signed out, unless visitors may open the page */
async function redeemFor(
  args: SessionArgs,
  input: z.output<typeof promoForm>,
  page: string,
): Promise<Outcome> {
  const { app, state } = fromContext(args.context);
  const user = await readUser(args);
  if (user) return redeemWithinLimits(app, state.client, user, input);
  if (page === OPEN_PAGE) return failure(401, PROMO_MESSAGES.signedOut);
  throw redirectToLogin(page, input.code);
}

/** To sign in, and back to the page with the code filled in. */
function redirectToLogin(page: string, code: string): Response {
  return redirect(loginPath(`${page}?${new URLSearchParams({ promo: code })}`, "promo"), 303);
}

/** Redeems a code within the limits, which count only wrong codes. */
async function redeemWithinLimits(
  app: App,
  client: string,
  user: { id: string; email: string },
  input: z.output<typeof promoForm>,
): Promise<Outcome> {
  const done = await withinGuesses(app, { user, client }, async () => {
    const redemption = await redeemPromoCode(app, user.id, input);
    if (!("message" in redemption)) return { ok: true as const, outcome: redemption };
    const { message } = redemption;
    // The account was deleted after the session was read.
    if (message === PROMO_MESSAGES.signedOut) return { ok: true as const, outcome: failure(401, message) };
    // A right code, which is no guess.
    if (message === PROMO_MESSAGES.unconfirmed) return { ok: true as const, outcome: failure(403, message) };
    return { ok: false, outcome: failure(400, message) };
  });
  return "outcome" in done ? done.outcome : done;
}
