import type { ComponentProps } from "react";
import { Link, type LinkProps, useLocation } from "react-router";

/** The parts of the site within which the router shows the next page without loading a document. */
const PARTS = [
  /^\/(dashboard|subscription|test-promo|account|login|register|forgot-password|reset-password|verify-email)(?![\w-])/,
  /^\/admin(?![\w-])/,
];
/** Paths that are no pages of the router. */
const ELSEWHERE = /^\/account\/(export|deleted|other)|^\/admin\/[^?#]*(\.csv|\/export|\/html)(?![\w-])/;

/**
 * A link to anywhere. To a page of the same part of the site it is the router's: fetched ahead on intent, and shown without a reload.
 * Between the account, the console and the public pages it loads a document, since each has its own styles and scripts.
 *
 * @param preventScrollReset whether the router leaves the page where it is scrolled to
 * @param viewTransition for links of a menu, whose mark moves: it delays the page by 65 ms on a slow phone
 */
export function PageLink({
  href,
  preventScrollReset,
  viewTransition,
  children,
  ...props
}: ComponentProps<"a"> & Pick<LinkProps, "preventScrollReset" | "viewTransition"> & { href: string }) {
  const { pathname } = useLocation();
  const isWithin =
    href.startsWith("?") ||
    (!ELSEWHERE.test(href) && PARTS.some((part) => part.test(href) && part.test(pathname)));
  if (!isWithin || props.download !== undefined)
    return (
      <a href={href} {...props}>
        {children}
      </a>
    );
  return (
    <Link
      to={href}
      prefetch="intent"
      preventScrollReset={preventScrollReset}
      viewTransition={viewTransition}
      {...props}
    >
      {children}
    </Link>
  );
}
