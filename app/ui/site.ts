import { useRouteLoaderData } from "react-router";

/** What the pages say about the site itself. Nothing but the config knows the product's name. */
export interface Site {
  /** Every absolute link is built from it. */
  origin: string;
  product: string;
  tagline: string;
  supportEmail: string;
  communityUrl: string;
  microblogUrl: string;
  codeHostUrl: string;
  /** The external store that sells the desktop app (spec §9). */
  storeUrl: string;
  /** Where Login and Sign Up lead when signing in happens elsewhere; `null`: here. */
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

/** What the header offers beside signing out. */
export const SIGNED_IN_LINKS: NavigationLink[] = [
  { href: "/dashboard", label: "Dashboard" },
  { href: "/subscription", label: "Plans" },
  { href: "/account", label: "Account" },
];

/** The footer's columns after the brand's; the second also names the chat and the address. */
export const FOOTER_COLUMNS: { title: string; links: NavigationLink[] }[] = [
  { title: "Product", links: [FEATURES, WHY_DIFFERENT, PRICING] },
  { title: "Support", links: [FAQ, CONTACT] },
  { title: "Legal", links: [TERMS, PRIVACY] },
];

/** What the root's loader tells every page. */
export interface RootData {
  site: Site;
  /** Of the copyright line. */
  year: number;
}

/** The site as the root loader read it from the config. */
export function useSite(): Site {
  const root = useRouteLoaderData<RootData>("root");
  if (!root) throw new Error("useSite is for pages below the root");
  return root.site;
}
