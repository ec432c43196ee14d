import type { App } from "../http/context.server.ts";
import { listPlansOnSale } from "./catalogue.server.ts";
import { type Choice, choiceIn } from "./choice.ts";
import { formatMoney, type Plan, periodsOf, priceFor } from "./plans.ts";

/** Describes the choice in a path such as `/subscription?plan=…&promo=…`; `undefined` when there is none. */
export async function describeChoice(
  app: Pick<App, "db" | "payments" | "config">,
  path: string,
): Promise<string | undefined> {
  const choice = choiceIn(path);
  // The sign-up page must render without the catalogue too.
  const plans = choice.plan ? await listPlansOnSale(app).catch(() => []) : [];
  const plan = plans.find(({ id }) => id === choice.plan);
  const parts = [
    plan && describePlan(plan, choice),
    choice.promo && `Promo code ${choice.promo} is saved. You apply it after signing up.`,
  ].filter(Boolean);
  return parts.join(" ") || undefined;
}

/** With the price that the next page shows first: the longest period's, unless another was chosen. */
function describePlan(plan: Plan, { billing }: Choice): string {
  const interval = billing ?? periodsOf([plan])[0];
  const price = interval && priceFor(plan, interval);
  if (!price) return `You chose ${plan.name}.`;
  const cost = `${formatMoney(price.unitAmount, price.currency)} a ${price.interval}`;
  return `You chose ${plan.name}, ${cost}.`;
}
