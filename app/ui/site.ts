import { useRouteLoaderData } from "react-router";

export interface Site {
  /** The base of absolute links. */
  origin: string;
  product: string;
  headline: string;
  tagline: string;
  company: string | null;
  /** On one line; `null`: not set. */
  companyAddress: string | null;
  /** `null`: not set, in production. */
  supportEmail: string | null;
  /** Business days until an answer, usually at most. */
  replyDays: number;
  /** Whether consumers can withdraw from a contract here (Directive 2011/83/EU, Article 11a). */
  withdrawal: boolean;
  /** "US dollars" */
  currency: string;
  /** Follows a price: empty, unless Stripe adds tax to it (STRIPE_TAX). */
  plusTax: string;
  /** "the United States and Canada" */
  bankCountries: string;
  /** The sandbox's; `null`: mail goes to a server, or waits. */
  mailboxUrl: string | null;
  /** These four are `null` where they are not set, in production: their links are left out. */
  communityUrl: string | null;
  microblogUrl: string | null;
  codeHostUrl: string | null;
  /** Sells the desktop app (spec §9). */
  storeUrl: string | null;
  /** The base of Login and Sign Up at the hosted app; `null`: our own pages. */
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

export const SIGNED_IN_LINKS: NavigationLink[] = [
  DASHBOARD,
  { href: "/subscription", label: "Plan" },
  ACCOUNT,
];

export const CONSOLE_LINK: NavigationLink = { href: "/admin", label: "Console" };

export const ACCOUNT_LINKS: NavigationLink[] = [DASHBOARD, ACCOUNT];

/** After the brand's. The footer adds the chat and the email address to the second. */
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

export function networkOf(url: string): string {
  const host = new URL(url).host.replace(/^www\./, "");
  return NETWORKS[host] ?? host;
}

/** The email address, or the contact form where none is set. */
export function supportAddress({ supportEmail, origin }: Pick<Site, "supportEmail" | "origin">): string {
  return supportEmail ?? `${origin}/contact`;
}

export function supportUrl(site: Pick<Site, "supportEmail" | "origin">): string {
  return site.supportEmail ? `mailto:${site.supportEmail}` : supportAddress(site);
}

export interface RootData {
  site: Site;
  year: number;
  /** The session may have ended: public pages do not look it up. */
  hasSession: boolean;
  /** Current within five seconds. */
  isSelling: boolean;
  /** A page is hydrated with data of its own build only. `undefined` while developing. */
  build?: string;
  /** What was typed into this page's form while another account was signed in, by field. */
  typed?: Record<string, string>;
}

/** @throws outside the root route */
export function useSite(): Site {
  return useRoot().site;
}

/** @throws outside the root route */
export function useRoot(): RootData {
  const root = useRouteLoaderData<RootData>("root");
  if (!root) throw new Error("useRoot is for pages below the root");
  return root;
}
