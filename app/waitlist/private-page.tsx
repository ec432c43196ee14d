import type { ReactNode } from "react";
import { useSite } from "../site.ts";
import { Prose } from "../ui/prose.tsx";

/**
 * For answers whose address or text is one person's own: nobody keeps them and no other site hears the address. Not
 * `no-referrer`, which makes browsers send `Origin: null` with a form of ours, and then it is refused as a stranger's.
 */
export const PRIVATE_HEADERS = { "Cache-Control": "no-store", "Referrer-Policy": "same-origin" };

/** A page for whoever has its link, which no search engine may list. */
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
