import type { ComponentProps } from "react";
import { Link, type LinkProps, useLocation } from "react-router";

/** Within each of these, the router shows the next page without loading a document. */
const PARTS = [
  /^\/(dashboard|subscription|test-promo|account|login|register|forgot-password|reset-password|verify-email)(?![\w-])/,
  /^\/admin(?![\w-])/,
];
/** Not pages of the router. */
const ELSEWHERE = /^\/account\/(export|deleted|other)|^\/admin\/[^?#]*(\.csv|\/export|\/html)(?![\w-])/;

/**
 * Within a part of the site the router's link, prefetched on intent; between parts a document, since each has its own styles and
 * scripts.
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
