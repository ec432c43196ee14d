import { useRef } from "react";
import { useLocation } from "react-router";
import { useIsLeaving } from "./leaving-form.ts";
import { ACCOUNT_LINKS, HEADER_LINKS, type NavigationLink, SIGNED_IN_LINKS, type Site } from "./site.ts";
import { Wordmark } from "./wordmark.tsx";

const MENU_ID = "menu";

interface HeaderProps {
  site: Site;
  isSignedIn: boolean;
  /** Hides the link to the plan page, which redirects admins. */
  isAdmin: boolean;
  /** Leads somebody who may be signed in to their account: public pages know no more (decision 0036). */
  hasSession: boolean;
}

/**
 * The header of every page. Its links load documents, which closes the menu; public pages have no script that could.
 */
export function Header({ site, isSignedIn, isAdmin, hasSession }: HeaderProps) {
  return (
    <header className="page flex flex-wrap items-center gap-x-4 md:gap-x-8 py-3 min-h-[4.25rem]">
      <a
        href="/"
        className="font-serif font-bold text-[1.35rem] no-underline min-h-11 inline-flex items-center"
      >
        <span className="label">
          <Wordmark product={site.product} />
        </span>
      </a>
      <button
        type="button"
        popoverTarget={MENU_ID}
        className="md:hidden ml-auto min-h-11 px-4 border-[1.5px] border-edge rounded-[2px] font-semibold"
      >
        Menu
      </button>
      <nav id={MENU_ID} popover="auto" className="menu" aria-label="Main">
        <ul>
          {HEADER_LINKS.map((link) => (
            <MenuItem key={link.href} {...link} />
          ))}
        </ul>
        <ul>
          {isSignedIn ? (
            <SignedInItems isAdmin={isAdmin} />
          ) : hasSession ? (
            ACCOUNT_LINKS.map((link) => <MenuItem key={link.href} {...link} />)
          ) : (
            <SignedOutItems site={site} />
          )}
        </ul>
      </nav>
    </header>
  );
}

function SignedOutItems({ site }: { site: Site }) {
  const app = site.hostedAppUrl ?? "";
  return (
    <>
      <MenuItem href={`${app}/login`} label="Login" />
      <li className="max-md:py-3">
        <a href={`${app}/register`} className="button">
          Sign Up
        </a>
      </li>
    </>
  );
}

function SignedInItems({ isAdmin }: { isAdmin: boolean }) {
  const button = useRef<HTMLButtonElement>(null);
  const isPending = useIsLeaving(button);
  return (
    <>
      {SIGNED_IN_LINKS.filter(({ href }) => !isAdmin || href !== "/subscription").map((link) => (
        <MenuItem key={link.href} {...link} hasPagesBelow />
      ))}
      <li>
        <form method="post" action="/logout">
          <button
            ref={button}
            type="submit"
            className="menu-link"
            aria-disabled={isPending}
            onClick={(event) => isPending && event.preventDefault()}
          >
            <span>{isPending ? "Signing out…" : "Sign Out"}</span>
          </button>
        </form>
      </li>
    </>
  );
}

function MenuItem({ href, label, hasPagesBelow }: NavigationLink & { hasPagesBelow?: boolean }) {
  const { pathname } = useLocation();
  const isBelow = hasPagesBelow && pathname.startsWith(`${href}/`);
  return (
    <li>
      <a href={href} className="menu-link" aria-current={pathname === href ? "page" : isBelow || undefined}>
        <span>{label}</span>
      </a>
    </li>
  );
}
