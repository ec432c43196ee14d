import type { NotingApp } from "../auth/refusals.server.ts";
import type { SignedInUser } from "../auth/sessions.server.ts";
import { isTier } from "../entitlements/tiers.ts";
import type { App, RequestState } from "../http/context.server.ts";
import type { Failure } from "../http/errors.ts";
import { toFailure } from "../http/unavailable.server.ts";
import { checkPromoCode } from "./check.server.ts";
import type { CodeAnswer } from "./checked-code.ts";
import { PROMO_INPUT_MAX_LENGTH } from "./rules.ts";

/** What is said of a code that could not be checked. */
const NOT_CHECKED = "We couldn’t check this code just now. You can still apply it.";

/** What the code in the address of a page would do; `null` without one, and where a form has just been answered. */
export async function answerAboutLink(
  app: NotingApp & Pick<App, "db">,
  state: Pick<RequestState, "id" | "client" | "isCodeJudged">,
  user: SignedInUser | null,
  code: string | null,
  tier?: unknown,
): Promise<CodeAnswer | null> {
  return code === null || state.isCodeJudged ? null : answerAbout(app, state, user, { code, tier });
}

/** `checkPromoCode` for a page, which renders whether or not the code could be checked. */
export async function answerAbout(
  app: NotingApp & Pick<App, "db">,
  state: Pick<RequestState, "id" | "client">,
  user: SignedInUser | null,
  asked: Asked,
): Promise<CodeAnswer> {
  const { typed, chosen } = readAsked(asked);
  const result = await checkPromoCode(app, state.client, user, { code: typed, tier: chosen }).catch(
    (error: unknown) => toFailure({ app, state }, error, "a promo code could not be checked", NOT_CHECKED),
  );
  return result.ok ? { typed, chosen, checked: result.checked, message: null } : refusalAbout(asked, result);
}

/** The answer about a code that is not looked at, and why. */
export function refusalAbout(asked: Asked, { message }: Pick<Failure, "message">): CodeAnswer {
  return { ...readAsked(asked), checked: null, message };
}

interface Asked {
  code: string;
  tier?: unknown;
}

function readAsked({ code, tier }: Asked): Pick<CodeAnswer, "typed" | "chosen"> {
  return {
    typed: code.slice(0, PROMO_INPUT_MAX_LENGTH + 1),
    chosen: isTier(tier) ? tier : "basic",
  };
}
