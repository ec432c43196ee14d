import type { App } from "../http/context.server.ts";
import { listPlansOnSale } from "./catalogue.server.ts";
import { choiceIn } from "./choice.ts";

const BILLED = { year: ", billed annually", month: ", billed monthly" };

/** Describes the choice in a path such as `/subscription?plan=…&promo=…`; `undefined` when there is none. */
export async function describeChoice(
  app: Pick<App, "db" | "payments" | "config">,
  path: string,
): Promise<string | undefined> {
  const { plan: id, billing, promo } = choiceIn(path);
  // The sign-up page must render without the catalogue too.
  const plans = id ? await listPlansOnSale(app).catch(() => []) : [];
  const plan = plans.find((plan) => plan.id === id);
  const parts = [
    plan && `You chose ${plan.name}${billing ? BILLED[billing] : ""}.`,
    promo && `Promo code ${promo} comes with you.`,
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join(" ")} You will find it on the next page.` : undefined;
}
