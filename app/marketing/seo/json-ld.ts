import { type BillingInterval, decimalAmount, type Plan, type Price } from "../../billing/plans.ts";
import type { Site } from "../../ui/site.ts";
import type { PublicPage } from "../pages.ts";

export interface Thing {
  "@type": string;
  [property: string]: unknown;
}

/** ISO 8601. */
const BILLING_DURATION: Record<BillingInterval, string> = { month: "P1M", year: "P1Y" };

export function jsonLdGraph(things: Thing[]) {
  return { "@context": "https://schema.org", "@graph": things };
}

export function organization(site: Site) {
  const urls = [site.communityUrl, site.microblogUrl, site.codeHostUrl];
  const profiles = urls.filter((url) => url !== null).filter(isProfilePage);
  return {
    "@type": "Organization",
    "@id": organizationId(site),
    name: site.product,
    url: `${site.origin}/`,
    logo: `${site.origin}/icon-512.png`,
    ...(site.supportEmail && { email: site.supportEmail }),
    ...(profiles.length > 0 && { sameAs: profiles }),
  };
}

function organizationId({ origin }: Site): string {
  return `${origin}/#organization`;
}

/** A network's front page, such as a placeholder's, is not a profile of ours. */
function isProfilePage(url: string): boolean {
  return new URL(url).pathname !== "/";
}

export function webSite(site: Site) {
  return {
    "@type": "WebSite",
    name: site.product,
    description: site.tagline,
    url: `${site.origin}/`,
    inLanguage: "en",
    publisher: { "@id": organizationId(site) },
  };
}

/** Without `featureList` and ratings: the features are not available yet. */
export function softwareApplication(site: Site, plans: Plan[]) {
  const offers = plans.flatMap((plan) => plan.prices.map((price) => offer(site, plan, price)));
  return {
    "@type": "SoftwareApplication",
    name: site.product,
    description: site.tagline,
    url: `${site.origin}/`,
    applicationCategory: "FinanceApplication",
    operatingSystem: "Web",
    softwareVersion: "Beta, phase 1",
    ...(offers.length > 0 && { offers }),
  };
}

function offer({ origin, plusTax }: Site, { name }: Plan, { unitAmount, currency, interval }: Price) {
  const amount = { price: decimalAmount(unitAmount, currency), priceCurrency: currency.toUpperCase() };
  return {
    "@type": "Offer",
    name,
    url: `${origin}/pricing`,
    // A plan is charged and starts today. PreOrder would mean that nothing is charged or delivered yet.
    availability: "https://schema.org/InStock",
    ...amount,
    priceSpecification: {
      "@type": "UnitPriceSpecification",
      ...amount,
      billingDuration: BILLING_DURATION[interval],
      ...(plusTax && { valueAddedTaxIncluded: false }),
    },
  };
}

export function faqPage(questions: readonly { question: string; answer: readonly string[] }[]) {
  return {
    "@type": "FAQPage",
    mainEntity: questions.map(({ question, answer }) => ({
      "@type": "Question",
      name: question,
      acceptedAnswer: { "@type": "Answer", text: answer.join("\n\n") },
    })),
  };
}

/** Every public page is one level below home. */
export function breadcrumbs({ origin }: Site, { name, path }: Pick<PublicPage, "name" | "path">) {
  const steps = [
    { name: "Home", item: `${origin}/` },
    { name, item: origin + path },
  ];
  return {
    "@type": "BreadcrumbList",
    itemListElement: steps.map((step, index) => ({ "@type": "ListItem", position: index + 1, ...step })),
  };
}
