import type { App } from "../http/context.server.ts";
import { listPlansOnSale } from "./catalogue.server.ts";
import { choiceIn } from "./choice.ts";

const EVERY = { year: ", billed annually", month: ", billed monthly" };

/** What a path such as `/subscription?plan=…&promo=…` keeps for later, in words. Nothing when it keeps nothing. */
export async function describeChoice(app: App, path: string): Promise<string | undefined> {
  const { plan: id, billing, promo } = choiceIn(path);
  // A page to sign up on needs no catalogue; without one it only says less.
  const plans = id ? await listPlansOnSale(app).catch(() => []) : [];
  const plan = plans.find((plan) => plan.id === id);
  const parts = [
    plan && `You chose ${plan.name}${billing ? EVERY[billing] : ""}.`,
    promo && `Promo code ${promo} comes with you.`,
  ].filter(Boolean);
  return parts.length > 0 ? `${parts.join(" ")} You will find it on the next page.` : undefined;
}
