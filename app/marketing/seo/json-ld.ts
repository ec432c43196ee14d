import { type BillingInterval, decimalAmount, type Plan, type Price } from "../../billing/plans.ts";
import type { Site } from "../../ui/site.ts";
import type { PublicPage } from "../pages.ts";

/** Something schema.org has a word for. */
export interface Thing {
  "@type": string;
  [property: string]: unknown;
}

/** ISO 8601, as schema.org writes a duration. */
const BILLING_DURATION: Record<BillingInterval, string> = { month: "P1M", year: "P1Y" };

/** The things of one page as the document that goes into it. */
export function inOneGraph(things: Thing[]) {
  return { "@context": "https://schema.org", "@graph": things };
}

/** Who runs the site. */
export function organization(site: Site) {
  const profiles = [site.communityUrl, site.microblogUrl, site.codeHostUrl].filter(isSomebodysPage);
  return {
    "@type": "Organization",
    "@id": organizationId(site),
    name: site.product,
    url: `${site.origin}/`,
    logo: `${site.origin}/icon-512.png`,
    email: site.supportEmail,
    ...(profiles.length > 0 && { sameAs: profiles }),
  };
}

function organizationId({ origin }: Site): string {
  return `${origin}/#organization`;
}

/** A network's front page, which the settings start with, is not a page of ours. */
function isSomebodysPage(url: string): boolean {
  return new URL(url).pathname !== "/";
}

/** The site itself. */
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

/**
 * The app and what it costs. It lists no features: those of the plans are still coming, and `featureList` is for what
 * is there. Nor ratings: there are none.
 */
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

function offer({ origin }: Site, { name }: Plan, { unitAmount, currency, interval }: Price) {
  const amount = { price: decimalAmount(unitAmount), priceCurrency: currency.toUpperCase() };
  return {
    "@type": "Offer",
    name,
    url: `${origin}/pricing`,
    // A plan is sold and starts today; what it will open as the beta goes on is said where it is sold. PreOrder would
    // mean that nothing is charged or given yet.
    availability: "https://schema.org/InStock",
    ...amount,
    priceSpecification: {
      "@type": "UnitPriceSpecification",
      ...amount,
      billingDuration: BILLING_DURATION[interval],
    },
  };
}

/** Questions and their answers in paragraphs of plain text, as the page shows them. */
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

/** Where a page stands: every one is a step from home. */
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
