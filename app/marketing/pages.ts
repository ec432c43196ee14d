/** A page that is the same for every visitor and served from memory. */
export interface PublicPage {
  path: string;
  /** For lists of pages, such as breadcrumbs. */
  name: string;
  /** The document title, without the product's name. */
  title: string;
  /** For search results and shared links, 50 to 160 characters. */
  description: string;
  /** Query parameters that change the content; a request with one of them is rendered individually. */
  query?: string[];
  /** The maximum age when served from memory, for a page that contains the time it was rendered. */
  refreshSeconds?: number;
}

/** The public pages (spec §2), in the order a visitor would read them. */
export const PUBLIC_PAGES: PublicPage[] = [
  {
    path: "/",
    name: "Home",
    title: "Your money, in your own words",
    description:
      "The first personal finance app that makes you name your own spending categories and income sources. In beta: join the waitlist.",
  },
  {
    path: "/features",
    name: "Features",
    title: "Features",
    description:
      "Budgets with email alerts, trend analysis, credit-card analysis, goals and bank connections, all in categories you named yourself.",
  },
  {
    path: "/why-different",
    name: "Why We're Different",
    title: "Why We're Different",
    description:
      "Other apps guess your categories. This one asks you to name them, once, and links your keywords to them. Try it on a bank statement.",
    query: ["category", "keywords"],
  },
  {
    path: "/pricing",
    name: "Pricing",
    title: "Pricing",
    description:
      "CSV Only, CSV + Banking, or the desktop app with a lifetime license. Monthly or yearly, both figures shown, cancel when you like.",
    query: ["billing", "promo"],
  },
  {
    path: "/faq",
    name: "FAQ",
    title: "Questions and answers",
    description:
      "What it does and does not do yet, what it costs, how your data is kept, and whether there is a mobile app.",
  },
  {
    path: "/contact",
    query: ["topic"],
    refreshSeconds: 1,
    name: "Contact Us",
    title: "Contact Us",
    description:
      "Write to us about an account, a payment or an idea, ask in the community chat, or tell us what your business needs.",
  },
  {
    path: "/privacy",
    name: "Privacy",
    title: "Privacy",
    description:
      "What is stored, why, for how long and who else sees it, and how to get a copy or have it deleted.",
  },
  {
    path: "/terms",
    name: "Terms",
    title: "Terms",
    description:
      "What you and we agree on: the beta, plans and renewals, cancelling, refunds, and what happens when something breaks.",
  },
];

/** The public page at a path; `undefined` when there is none. */
export function publicPageAt(path: string): PublicPage | undefined {
  return PUBLIC_PAGES.find((page) => page.path === path);
}
