import { type FocusEvent, type FormEvent, useEffect, useRef } from "react";
import { useFetcher } from "react-router";
import type { CodeAnswer } from "./checked-code.ts";

/** Long enough for a press of the button that took the focus. */
const PAUSE_MILLISECONDS = 250;

/**
 * Looks at the code of a form when its box is left, and when another plan is chosen: not at every key, because half a code
 * would count as a wrong one.
 */
export function useCodePreview() {
  const fetcher = useFetcher<CodeAnswer>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastLooked = useRef("");
  useEffect(() => () => clearTimeout(timer.current), []);

  function lookSoon(form: HTMLFormElement): void {
    clearTimeout(timer.current);
    const data = new FormData(form);
    const code = String(data.get("code") ?? "").trim();
    const query = `${new URLSearchParams({ code, tier: String(data.get("tier") ?? "") })}`;
    if (code === "" || query === lastLooked.current) return;
    timer.current = setTimeout(() => {
      // Sent meanwhile: the answer says more.
      if (form.ariaBusy === "true") return;
      lastLooked.current = query;
      void fetcher.load(`/promo/check?${query}`);
    }, PAUSE_MILLISECONDS);
  }

  return {
    answer: fetcher.data,
    onBlur({ target, currentTarget, relatedTarget }: FocusEvent<HTMLFormElement>) {
      const isCode = target instanceof HTMLInputElement && target.name === "code";
      // Whoever is about to press a button of the form gets an answer from that.
      if (isCode && !(relatedTarget instanceof HTMLButtonElement)) lookSoon(currentTarget);
    },
    onChange({ target, currentTarget }: FormEvent<HTMLFormElement>) {
      if (target instanceof HTMLInputElement && target.type === "radio") lookSoon(currentTarget);
    },
  };
}
