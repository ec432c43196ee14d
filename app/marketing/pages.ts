import type { SharePicture } from "./seo/share-picture.ts";

/** The same for everyone, except for its header; served from memory. */
export interface PublicPage {
  path: string;
  name: string;
  title: string;
  /** 50 to 160 characters. */
  description: string;
  /** Drawn by bin/pictures.ts. */
  picture: SharePicture;
  /** Parameters that change the content: such a request is rendered individually. */
  query?: string[];
  /** Maximum age, for a page that contains the time it was rendered. */
  refreshSeconds?: number;
}

/** Spec §2, in the order a visitor would read them. */
export const PUBLIC_PAGES: PublicPage[] = [
  {
    path: "/",
    name: "Home",
    title: "Your money, in your own words",
    description:
      "The first personal finance app that makes you create your own spending categories and income sources. In beta: join the waitlist, free.",
    query: ["category", "keywords"],
    picture: { headline: null, shows: "totals" },
  },
  {
    path: "/features",
    name: "Features",
    title: "Features",
    description:
      "Budgets with email alerts, trend analysis, credit-card analysis, goals and bank connections, all in categories you named yourself.",
    picture: {
      headline: { text: "Budgets, trends and goals in", label: "categories you named" },
      shows: "totals",
    },
  },
  {
    path: "/why-different",
    name: "Why We're Different",
    title: "Why We're Different",
    description:
      "Other apps guess your categories. Here you name them once and link your keywords to them. Try it on a sample bank statement.",
    query: ["category", "keywords"],
    picture: {
      headline: { text: "They guess.", label: "You name." },
      shows: { line: "AMZN MKTPLACE 2K4", amount: "−$34.90", label: "Mom’s birthday" },
    },
  },
  {
    path: "/pricing",
    name: "Pricing",
    title: "Pricing",
    description:
      "CSV Only, CSV + Banking, or the desktop app with a lifetime license. Monthly or yearly, both prices shown, cancel any time.",
    query: ["billing", "promo"],
    picture: {
      headline: { text: "Monthly or yearly,", label: "both prices shown" },
      shows: { line: "CARD PAYMENT", amount: "−$12.00", label: "Worth it" },
    },
  },
  {
    path: "/faq",
    name: "FAQ",
    title: "Questions before you start",
    description:
      "What works today and what doesn’t yet, what it costs, how we keep your data, and whether there is a mobile app.",
    picture: {
      headline: { text: "Plain questions,", label: "plain answers" },
      shows: { line: "DIRECT DEBIT 0093", amount: "−$7.50", label: "What was this again?" },
    },
  },
  {
    path: "/contact",
    query: ["topic"],
    refreshSeconds: 1,
    name: "Contact Us",
    title: "Contact Us",
    description:
      "Write to us about your account, a payment or an idea, ask in the community chat, or tell us what your business needs.",
    picture: {
      headline: { text: "Write to us.", label: "A person answers." },
      shows: { line: "POST OFFICE 118", amount: "−$1.65", label: "Letter to a friend" },
    },
  },
  {
    path: "/changelog",
    name: "Changelog",
    title: "What we’re building",
    description:
      "Short news about the product as it’s being built: what has changed, what comes next, and when each feature opens.",
    picture: {
      headline: { text: "What we’re building,", label: "as it happens" },
      shows: { line: "HARDWARE STORE 21", amount: "−$18.40", label: "The treehouse" },
    },
  },
  {
    path: "/blog",
    name: "Blog",
    title: "Blog",
    description:
      "Longer stories about money in your own words, why we make you name your categories, and where the product stands.",
    picture: {
      headline: { text: "Stories about money,", label: "in your own words" },
      shows: { line: "CITY BOOKS 014", amount: "−$26.00", label: "A good read" },
    },
  },
  {
    path: "/privacy",
    name: "Privacy",
    title: "Privacy",
    description:
      "What we store, why, for how long and who else sees it, and how to get a copy or have it deleted.",
    picture: {
      headline: { text: "What we keep, why,", label: "and for how long" },
      shows: { line: "NIGHT PHARMACY 07", amount: "−$8.20", label: "Nobody’s business" },
    },
  },
  {
    path: "/terms",
    name: "Terms",
    title: "Terms",
    description:
      "What we agree on: the beta, plans and renewals, canceling, refunds, and what happens when something breaks.",
    picture: {
      headline: { text: "The small print,", label: "in plain words" },
      shows: { line: "GYM MEMBERSHIP", amount: "−$35.00", label: "Until I cancel" },
    },
  },
];

export function publicPageAt(path: string): PublicPage | undefined {
  return PUBLIC_PAGES.find((page) => page.path === path);
}
