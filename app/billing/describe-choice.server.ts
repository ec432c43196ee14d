import type { App, RequestState } from "../http/context.server.ts";
import { answerAboutLink } from "../promo/check.server.ts";
import { type CodeAnswer, isKnownInvalid, termsOfCode } from "../promo/promo-answer.ts";
import { PROMO_MESSAGES } from "../promo/rules.ts";
import type { Site } from "../ui/site.ts";
import { listPlansOnSale } from "./catalogue.server.ts";
import { type Choice, choiceIn } from "./choice.ts";
import { chargedAmount, type Plan, periodsOf, priceFor } from "./plans.ts";

export async function describeChoice(
  { app, state }: { app: App; state: RequestState },
  path: string,
): Promise<string | undefined> {
  const choice = choiceIn(path);
  // The sign-up page must render without the catalog too.
  const plans = choice.plan ? await listPlansOnSale(app).catch(() => []) : [];
  const plan = plans.find(({ id }) => id === choice.plan);
  const parts = [
    plan && describePlan(plan, choice, app.config.site),
    choice.promo && describeCode(choice.promo, await answerAboutLink(app, state, null, choice.promo)),
  ].filter(Boolean);
  return parts.join(" ") || undefined;
}

function describeCode(code: string, answer: CodeAnswer | null): string {
  if (answer?.checked)
    return `Promo code ${code} is saved. It gives you ${termsOfCode(answer.checked)} You apply it after signing up.`;
  if (isKnownInvalid(answer))
    return `${PROMO_MESSAGES.invalid}: ${code}. You can enter another after signing up.`;
  return `We couldn’t check promo code ${code} just now. You can apply it after signing up.`;
}

function describePlan(plan: Plan, { billing }: Choice, { plusTax }: Pick<Site, "plusTax">): string {
  const interval = billing ?? periodsOf([plan])[0];
  const price = interval && priceFor(plan, interval);
  if (!price) return `You chose ${plan.name}.`;
  return `You chose ${plan.name}, ${chargedAmount(price)}${plusTax}.`;
}
