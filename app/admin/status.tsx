import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useFetcher, useLocation, useMatches, useOutletContext } from "react-router";
import type { FormAnswer } from "../ui/route-form.ts";
import { type Flash, handleOf } from "../ui/route-handle.ts";
import { useHydrated } from "../ui/use-hydrated.ts";

type Say = (flash: Flash) => void;

/** From the `said` of a redirect, or from the page itself. Cleared when the URL changes. */
export function useStatus() {
  const { key, search } = useLocation();
  const { flash: flashOf } = handleOf(useMatches());
  const [own, setOwn] = useState<{ at: string; flash: Flash | null }>();
  const redirected = flashOf?.(new URLSearchParams(search).get("said") ?? "") ?? null;
  const say: Say = (flash) => setOwn({ at: key, flash });
  return {
    flash: own?.at === key ? own.flash : redirected,
    say,
    dismiss: () => setOwn({ at: key, flash: null }),
  };
}

/** Present before any message, so that screen readers announce it. */
export function Status({ flash, onDismiss }: { flash: Flash | null; onDismiss: () => void }) {
  const { key } = useLocation();
  const place = useRef<HTMLDivElement>(null);
  const isHydrated = useHydrated();
  const text = flash && (
    // A new key announces the same words again.
    <p key={key} role={flash.tone === "bad" ? "alert" : undefined}>
      {flash.text}
    </p>
  );
  function dismiss() {
    // The focused button disappears.
    place.current?.focus();
    onDismiss();
  }
  return (
    <div className="console-status" data-tone={flash?.tone} ref={place} tabIndex={-1}>
      <div role="status">{flash?.tone !== "bad" && text}</div>
      {flash?.tone === "bad" && text}
      {flash && isHydrated && (
        <button type="button" className="button" data-quiet="" onClick={dismiss}>
          Dismiss
        </button>
      )}
    </div>
  );
}

export function useFormFetcher() {
  const fetcher = useFetcher<FormAnswer>();
  const say = useEffectEvent(useOutletContext<Say>());
  const { data } = fetcher;
  useEffect(() => {
    const why = data?.error?.[""]?.[0];
    if (why) say({ tone: "bad", text: why });
  }, [data]);
  return fetcher;
}
