import { type ReactNode, useEffect, useRef } from "react";
import { NavigationType, useLocation, useNavigationType } from "react-router";

/** A frame in which a wide table scrolls; focusable, so that a keyboard can scroll it. @param id for links that lead to it */
export function TableFrame({ id, label, children }: { id?: string; label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable (WCAG 2.1.1)
    <section className="console-table" id={id} ref={useFocusByLink(id)} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** Has the focus begin where a link has led to, as a document's does. */
function useFocusByLink(id: string | undefined) {
  const place = useRef<HTMLElement>(null);
  const { key, hash } = useLocation();
  const isByLink = useNavigationType() !== NavigationType.Pop;
  const shown = useRef(key);
  useEffect(() => {
    if (shown.current === key) return;
    shown.current = key;
    if (isByLink && hash === `#${id}`) place.current?.focus({ preventScroll: true });
  }, [key, hash, id, isByLink]);
  return place;
}
