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
  /** The maker of the product; `null`: not set. */
  company: string | null;
  /** The postal address on one line; `null`: not set. */
  companyAddress: string | null;
  /** `null`: not set, in production. */
  supportEmail: string | null;
  /** Business days until an answer, usually at most. */
  replyDays: number;
  /** Whether consumers can withdraw from a contract here (Directive 2011/83/EU, Article 11a). */
  withdrawal: boolean;
  /** The plural name of the prices' currency: "US dollars". */
  currency: string;
  /** What follows a price: nothing, unless Stripe adds tax to it (STRIPE_TAX). */
  plusTax: string;
  /** Where the Banking API connects to banks first: "the United States and Canada". */
  bankCountries: string;
  /** Where the sandbox shows unsent mail; `null`: mail goes to a server, or waits. */
  mailboxUrl: string | null;
  /** These four are `null` where they are not set, in production: their links are left out. */
  communityUrl: string | null;
  microblogUrl: string | null;
  codeHostUrl: string | null;
  /** The external store that sells the desktop app (spec §9). */
  storeUrl: string | null;
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

/** The header links of public pages with a session cookie. */
export const ACCOUNT_LINKS: NavigationLink[] = [DASHBOARD, ACCOUNT];

/** The footer's columns after the brand's. The footer adds the chat and the email address to the second. */
export const FOOTER_COLUMNS: { title: string; links: NavigationLink[] }[] = [
  { title: "Product", links: [FEATURES, WHY_DIFFERENT, PRICING] },
  { title: "Support", links: [FAQ, CONTACT] },
  { title: "Legal", links: [TERMS, PRIVACY] },
];

const NETWORKS: Record<string, string> = {
  "discord.com": "Discord",
  "discord.gg": "Discord",
  "discord.example": "Discord",
  "bsky.app": "Bluesky",
  "bluesky.example": "Bluesky",
  "x.com": "X",
  "mastodon.social": "Mastodon",
  "github.com": "GitHub",
  "github.example": "GitHub",
  "gitlab.com": "GitLab",
  "codeberg.org": "Codeberg",
};

/** The common name of a host, or the host itself. */
export function networkOf(url: string): string {
  const host = new URL(url).host.replace(/^www\./, "");
  return NETWORKS[host] ?? host;
}

/** How to reach support, in text: the email address, or the contact form where none is set. */
export function supportAddress({ supportEmail, origin }: Pick<Site, "supportEmail" | "origin">): string {
  return supportEmail ?? `${origin}/contact`;
}

/** The absolute URL of a link to support. */
export function supportUrl(site: Pick<Site, "supportEmail" | "origin">): string {
  return site.supportEmail ? `mailto:${site.supportEmail}` : supportAddress(site);
}

/** The data of the root loader. */
export interface RootData {
  site: Site;
  /** For the copyright line. */
  year: number;
  /** Whether the browser has a session cookie. The session may have ended: public pages do not look it up. */
  hasSession: boolean;
  /** Whether any plan is on sale; current within five seconds. */
  isSelling: boolean;
  /** The build of the browser's files: a page is hydrated with data of its own only. `undefined` while developing. */
  build?: string;
  /** What was typed into this page when it was another account's. */
  typed?: Record<string, string>;
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
