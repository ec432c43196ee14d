import { useEffect, useRef } from "react";
import { useLocation } from "react-router";

/**
 * Scrolls a row of links to the middle of its current one, where the row is wider than the screen; `scrollIntoView` would scroll the page
 * as well. @returns the row
 */
export function useCurrentInView<Row extends HTMLElement>() {
  const row = useRef<Row>(null);
  const { pathname, search } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address has another current link
  useEffect(() => {
    const current = row.current?.querySelector("[aria-current]");
    if (!row.current || !current) return;
    const [outer, inner] = [row.current.getBoundingClientRect(), current.getBoundingClientRect()];
    row.current.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2);
  }, [pathname, search]);
  return row;
}
