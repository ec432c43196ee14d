import type { ReactNode } from "react";
import { Prose } from "./prose.tsx";
import { useSite } from "./site.ts";

/** Not stored or sent to other sites. With `no-referrer`, browsers send `Origin: null`, which the origin check refuses. */
export const PRIVATE_HEADERS = { "Cache-Control": "no-store", "Referrer-Policy": "same-origin" };

/** For a route with an action, whose own headers are added. */
export function privateFormHeaders({ actionHeaders }: { actionHeaders: Headers }) {
  return { ...PRIVATE_HEADERS, ...Object.fromEntries(actionHeaders) };
}

export function PrivatePage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Prose>
      <PrivateHead title={title} />
      {children}
    </Prose>
  );
}

export function PrivateHead({ title }: { title: string }) {
  const { product } = useSite();
  return (
    <>
      <title>{`${title} · ${product}`}</title>
      <meta name="robots" content="noindex" />
    </>
  );
}
