import type { ReactNode } from "react";

export function Example({ caption, children }: { caption: ReactNode; children: ReactNode }) {
  return (
    <figure className="sheet grid gap-4 pb-5">
      <figcaption className="flex flex-wrap gap-x-4 gap-y-1 items-baseline justify-between text-quiet text-[0.9375rem]">
        <span>{caption}</span>
        <span>Example</span>
      </figcaption>
      {children}
    </figure>
  );
}

export function Label({ children }: { children: ReactNode }) {
  return <span className="label font-semibold text-[0.9375rem] text-on-label">{children}</span>;
}

/** In percent. The part beyond `limit` is marked as overspent. */
export function Bar({ filled, limit }: { filled: number; limit?: number }) {
  const within = Math.min(filled, limit ?? 100);
  return (
    <svg className="w-full h-5" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect className="fill-rule" y="2" width="100" height="6" />
      <rect className={limit ? "fill-ink" : "fill-green"} y="2" width={within} height="6" />
      {limit && (
        <>
          <rect className="fill-coral" x={limit} y="2" width={filled - limit} height="6" />
          <rect className="fill-ink" x={limit - 0.4} width="1.2" height="10" />
          <rect className="fill-sheet" x={limit - 0.4} y="2" width="1.2" height="6" />
        </>
      )}
    </svg>
  );
}
