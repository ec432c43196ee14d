import type { ReactNode } from "react";

/** A frame in which a wide table scrolls; focusable, so that a keyboard can scroll it. */
export function TableFrame({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable (WCAG 2.1.1)
    <section className="console-table" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
