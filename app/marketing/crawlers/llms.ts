import { loadPlans } from "../../billing/catalogue.server.ts";
import { BILLING_MESSAGES, describePrice, type Plan } from "../../billing/plans.ts";
import type { FeatureStates } from "../../entitlements/features.ts";
import { stateOfTheApp } from "../../entitlements/state-of-the-app.ts";
import { FEATURE_NAMES, FEATURES_BY_TIER } from "../../entitlements/tiers.ts";
import { fromContext } from "../../http/context.server.ts";
import { accountOffer, WAITLIST_OFFER } from "../../ui/offer.ts";
import { type Site, supportAddress } from "../../ui/site.ts";
import { PUBLIC_PAGES } from "../pages.ts";
import type { Route } from "./+types/llms.ts";
import { PLAIN_TEXT, textFileResponse } from "./text-file-response.ts";

/** llmstxt.org: "Optional" links can be skipped. */
const OPTIONAL_PATHS = ["/privacy", "/terms"];

/** For language models (llmstxt.org). */
export async function loader({ context }: Route.LoaderArgs) {
  const { app, state } = fromContext(context);
  const plans = await loadPlans({ app, state });
  if (!plans) return new Response(BILLING_MESSAGES.plansFailed, { status: 503 });
  return textFileResponse(PLAIN_TEXT, describeSite(app.config.site, plans, app.features.current()));
}

function describeSite(site: Site, plans: Plan[], features: FeatureStates): string {
  const isOptional = ({ path }: { path: string }) => OPTIONAL_PATHS.includes(path);
  return `# ${site.product}

> ${site.tagline} A personal finance app that makes people name their own spending categories and income sources, once, and links the keywords they choose to them.

${site.product} is in beta, phase 1. ${stateOfTheApp(features)} ${WAITLIST_OFFER} ${accountOffer(plans.length > 0)} Support: ${supportAddress(site)}.

## Pages

${PUBLIC_PAGES.filter((page) => !isOptional(page))
  .map((page) => linkTo(site, page))
  .join("\n")}

## Plans

${plans.length > 0 ? plans.map((plan) => describePlan(site, plan, features)).join("\n") : "No plans are on sale right now."}

## Optional

${PUBLIC_PAGES.filter(isOptional)
  .map((page) => linkTo(site, page))
  .join("\n")}
`;
}

function linkTo({ origin }: Site, page: { path: string; name: string; description: string }): string {
  return `- [${page.name}](${origin}${page.path}): ${page.description}`;
}

function describePlan(
  { origin, plusTax }: Site,
  { name, tier, prices }: Plan,
  features: FeatureStates,
): string {
  const included = FEATURES_BY_TIER[tier];
  const areAllClosed = included.every((feature) => !features[feature].isOpen);
  const names = included.map((feature) => {
    const state = features[feature].isOpen ? "open" : "still being built";
    return areAllClosed ? FEATURE_NAMES[feature] : `${FEATURE_NAMES[feature]} (${state})`;
  });
  const includes = `${names.join(" and ")}${areAllClosed ? ", still being built" : ""}`;
  return `- [${name}](${origin}/pricing): ${prices.map(describePrice).join("; or ")}${plusTax}. Includes ${includes}.`;
}
