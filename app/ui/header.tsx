import { type ReactNode, use } from "react";
import { useLocation } from "react-router";
import { PageLink } from "./page-link.tsx";
import { PostForm, SubmitterContext } from "./post-form.tsx";
import {
  ACCOUNT_LINKS,
  CONSOLE_LINK,
  HEADER_LINKS,
  type NavigationLink,
  SIGNED_IN_LINKS,
  type Site,
} from "./site.ts";
import { Wordmark } from "./wordmark.tsx";

const MENU_ID = "menu";

interface HeaderProps {
  site: Site;
  /** Without it the page is public. */
  account?: AccountInHeader;
  /** Public pages know only that there may be a session (decision 0036). */
  hasSession: boolean;
  /** Before signing up. */
  offersWaitlist: boolean;
}

interface AccountInHeader {
  person: ReactNode;
  isAdmin: boolean;
  isOperator: boolean;
}

/** A link that loads a document closes the menu; public pages have no script to do it. */
export function Header({ site, account, hasSession, offersWaitlist }: HeaderProps) {
  return (
    <header className="page flex flex-wrap items-center gap-x-4 md:gap-x-8 py-3 min-h-[4.25rem]">
      <a
        href="/"
        className="font-serif font-bold text-[1.35rem] no-underline min-h-11 inline-flex items-center"
      >
        <span className="label py-[0.42em] leading-none">
          <Wordmark product={site.product} />
        </span>
      </a>
      <button type="button" popoverTarget={MENU_ID} className="menu-button">
        <span>Menu</span>
        <span>Close</span>
      </button>
      <nav id={MENU_ID} popover="auto" className="menu" aria-label="Main">
        {account ? <AccountItems {...account} /> : <MenuItems links={HEADER_LINKS} />}
        {!account && hasSession && <MenuItems links={ACCOUNT_LINKS} />}
        {!account && !hasSession && <SignedOutItems site={site} offersWaitlist={offersWaitlist} />}
      </nav>
    </header>
  );
}

function SignedOutItems({ site, offersWaitlist }: Pick<HeaderProps, "site" | "offersWaitlist">) {
  const app = site.hostedAppUrl ?? "";
  const signUp = { href: `${app}/register`, label: "Sign Up" };
  const button = offersWaitlist ? { href: "/waitlist", label: "Join Waitlist" } : signUp;
  return (
    <ul>
      <MenuItem href={`${app}/login`} label="Login" />
      {offersWaitlist && <MenuItem {...signUp} />}
      <li className="max-md:py-3">
        <a href={button.href} className="button" data-quiet="">
          {button.label}
        </a>
      </li>
    </ul>
  );
}

function AccountItems({ person, isAdmin, isOperator }: AccountInHeader) {
  const own = SIGNED_IN_LINKS.filter(({ href }) => !isAdmin || href !== "/subscription");
  return (
    <>
      <MenuItems links={isOperator ? [...own, CONSOLE_LINK] : own} />
      <ul>
        {person && <li>{person}</li>}
        <li>
          <SignOut />
        </li>
      </ul>
    </>
  );
}

function SignOut() {
  return (
    <PostForm action="/logout">
      <SignOutButton />
    </PostForm>
  );
}

function SignOutButton() {
  const isPending = use(SubmitterContext) !== null;
  return (
    <button type="submit" className="menu-link" aria-disabled={isPending || undefined}>
      <span>{isPending ? "Signing out…" : "Sign Out"}</span>
    </button>
  );
}

function MenuItems({ links }: { links: NavigationLink[] }) {
  return (
    <ul>
      {links.map((link) => (
        <MenuItem key={link.href} {...link} />
      ))}
    </ul>
  );
}

function MenuItem({ href, label }: NavigationLink) {
  const { pathname } = useLocation();
  const isBelow = pathname.startsWith(`${href}/`);
  return (
    <li>
      <PageLink
        href={href}
        className="menu-link"
        viewTransition
        aria-current={pathname === href ? "page" : isBelow || undefined}
        onClick={({ currentTarget }) => currentTarget.closest<HTMLElement>("[popover]")?.hidePopover()}
      >
        <span>{label}</span>
      </PageLink>
    </li>
  );
}
