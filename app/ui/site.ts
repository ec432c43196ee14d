import { useRouteLoaderData } from "react-router";

/** Facts about the site for its pages. The product's name comes from the config only. */
export interface Site {
  /** The base of every absolute link. */
  origin: string;
  product: string;
  /** The heading of the home page. */
  headline: string;
  /** The spec's tagline (spec §1), a sentence. */
  tagline: string;
  /** Who makes the product; `null`: not set. */
  company: string | null;
  /** The postal address on one line; `null`: not set. */
  companyAddress: string | null;
  supportEmail: string;
  /** How many business days an answer usually takes, at most. */
  replyDays: number;
  /** Whether consumers can withdraw from a contract here (Directive 2011/83/EU, Article 11a). */
  withdrawal: boolean;
  /** What the site's prices are in, in the plural: "US dollars". */
  currency: string;
  /** Where the Banking API will connect to banks first: "the United States and Canada". */
  bankCountries: string;
  /** Where the sandbox shows the mail it did not send; `null`: mail goes to a server, or waits. */
  mailboxUrl: string | null;
  communityUrl: string;
  microblogUrl: string;
  codeHostUrl: string;
  /** The external store that sells the desktop app (spec §9). */
  storeUrl: string;
  /** The base of Login and Sign Up when users sign in at the hosted app; `null`: our own pages. */
  hostedAppUrl: string | null;
}

export interface NavigationLink {
  href: string;
  label: string;
}

const FEATURES = { href: "/features", label: "Features" };
const WHY_DIFFERENT = { href: "/why-different", label: "Why We're Different" };
const PRICING = { href: "/pricing", label: "Pricing" };
const FAQ = { href: "/faq", label: "FAQ" };
const PRIVACY = { href: "/privacy", label: "Privacy" };
const CONTACT = { href: "/contact", label: "Contact Us" };
const TERMS = { href: "/terms", label: "Terms" };

/** Spec §2, Header and footer. */
export const HEADER_LINKS: NavigationLink[] = [FEATURES, WHY_DIFFERENT, PRICING, FAQ, PRIVACY];

const DASHBOARD = { href: "/dashboard", label: "Dashboard" };
const ACCOUNT = { href: "/account", label: "Account" };

/** The header links of signed-in users, besides Sign Out. */
export const SIGNED_IN_LINKS: NavigationLink[] = [
  DASHBOARD,
  { href: "/subscription", label: "Plan" },
  ACCOUNT,
];

/** The operator's, after those of every signed-in user. */
export const CONSOLE_LINK: NavigationLink = { href: "/admin", label: "Console" };

/** The header links of public pages for somebody who carries a session. */
export const ACCOUNT_LINKS: NavigationLink[] = [DASHBOARD, ACCOUNT];

/** The footer's columns after the brand's. The footer adds the chat and the email address to the second. */
export const FOOTER_COLUMNS: { title: string; links: NavigationLink[] }[] = [
  { title: "Product", links: [FEATURES, WHY_DIFFERENT, PRICING] },
  { title: "Support", links: [FAQ, CONTACT] },
  { title: "Legal", links: [TERMS, PRIVACY] },
];

/** The data of the root loader. */
export interface RootData {
  site: Site;
  /** For the copyright line. */
  year: number;
  /** Whether the browser carries a session, which may have ended: public pages do not look it up. */
  hasSession: boolean;
  /** Whether any plan is on sale; at most a second old. */
  isSelling: boolean;
}

/** The site, from the root loader. @throws outside the root route */
export function useSite(): Site {
  return useRoot().site;
}

/** The root loader's data. @throws outside the root route */
export function useRoot(): RootData {
  const root = useRouteLoaderData<RootData>("root");
  if (!root) throw new Error("useRoot is for pages below the root");
  return root;
}
