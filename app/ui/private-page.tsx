import type { ReactNode } from "react";
import { Prose } from "./prose.tsx";
import { useSite } from "./site.ts";

/**
 * Not stored, and the URL is not sent to other sites. Not `no-referrer`, with which browsers send `Origin: null`: the origin check
 * refuses that without `Sec-Fetch-Site`.
 */
export const PRIVATE_HEADERS = { "Cache-Control": "no-store", "Referrer-Policy": "same-origin" };

/** For a route with an action, whose own headers are added. */
export function privateFormHeaders({ actionHeaders }: { actionHeaders: Headers }) {
  return { ...PRIVATE_HEADERS, ...Object.fromEntries(actionHeaders) };
}

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
