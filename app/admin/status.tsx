import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useFetcher, useLocation, useMatches, useOutletContext } from "react-router";
import type { FormAnswer } from "../ui/route-form.ts";
import { handleOf, type News } from "../ui/route-handle.ts";
import { useHydrated } from "../ui/use-hydrated.ts";

type Say = (news: News) => void;

/**
 * What the console says at the moment: by the `said` that an action led to, or what a page has said by itself. Either is over when
 * another address is shown.
 */
export function useStatus() {
  const { key, search } = useLocation();
  const { news: newsOf } = handleOf(useMatches());
  const [own, setOwn] = useState<{ at: string; news: News | null }>();
  const said = newsOf?.(new URLSearchParams(search).get("said") ?? "") ?? null;
  const say: Say = (news) => setOwn({ at: key, news });
  return {
    news: own?.at === key ? own.news : said,
    say,
    dismiss: () => setOwn({ at: key, news: null }),
  };
}

/** The place where the console says it: there before anything is said, so that screen readers announce it. */
export function Status({ news, onDismiss }: { news: News | null; onDismiss: () => void }) {
  const { key } = useLocation();
  const place = useRef<HTMLDivElement>(null);
  const isHydrated = useHydrated();
  const text = news && (
    // New each time: the same words said again are announced again.
    <p key={key} role={news.tone === "bad" ? "alert" : undefined}>
      {news.text}
    </p>
  );
  function dismiss() {
    // The focus would go with the button.
    place.current?.focus();
    onDismiss();
  }
  return (
    <div className="console-status" data-tone={news?.tone} ref={place} tabIndex={-1}>
      <div role="status">{news?.tone !== "bad" && text}</div>
      {news?.tone === "bad" && text}
      {news && isHydrated && (
        <button type="button" className="button" data-quiet="" onClick={dismiss}>
          Dismiss
        </button>
      )}
    </div>
  );
}

/** A fetcher for a form of the console: why it could not be sent is the console's status. */
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
