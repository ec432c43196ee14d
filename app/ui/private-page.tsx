import type { ReactNode } from "react";
import { Prose } from "./prose.tsx";
import { useSite } from "./site.ts";

/**
 * For answers whose address or text is one person's own: nobody keeps them and no other site hears the address. Not
 * `no-referrer`, which makes browsers send `Origin: null` with a form of ours, and then it is refused as a stranger's.
 */
export const PRIVATE_HEADERS = { "Cache-Control": "no-store", "Referrer-Policy": "same-origin" };

/** The same for a route with an action, whose own headers are added. */
export function privateFormHeaders({ actionHeaders }: { actionHeaders: Headers }) {
  return { ...PRIVATE_HEADERS, ...Object.fromEntries(actionHeaders) };
}

/** A page that is no way in: for whoever has its link or has just sent a form. No search engine may list it. */
export function PrivatePage({ title, children }: { title: string; children: ReactNode }) {
  const { product } = useSite();
  return (
    <Prose>
      <title>{`${title} · ${product}`}</title>
      <meta name="robots" content="noindex" />
      {children}
    </Prose>
  );
}
