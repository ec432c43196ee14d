import { useEffect, useRef, useState } from "react";
import { useFetcher } from "react-router";
import { ACCOUNT_FIELD } from "../ui/account-mark.ts";
import { useFrame } from "../ui/frame.ts";
import type { clientLoader } from "./check.ts";
import type { CodeAnswer } from "./promo-answer.ts";

/** In milliseconds. An incomplete code counts as a wrong one, so most people should have finished typing. */
const TYPING_PAUSE = 800;
/** Long enough for a press of the button that took the focus. */
const LEAVING_PAUSE = 250;
/** Shorter codes are checked only when the field loses focus. */
const LEAST_LENGTH = 4;

/** Requested shortly after typing, once for each code and plan. */
export function usePromoPreview() {
  const { accountMark } = useFrame();
  const { load, data } = useFetcher<typeof clientLoader>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastQuery = useRef("");
  const [typed, setTyped] = useState<{ code: string; tier: string } | null>(null);
  useEffect(() => () => clearTimeout(timer.current), []);

  function lookIn(milliseconds: number, code: string, tier: string) {
    clearTimeout(timer.current);
    const query = new URLSearchParams({
      code: code.trim(),
      tier,
      ...(accountMark && { [ACCOUNT_FIELD]: accountMark }),
    });
    const isKnown = `${query}` === lastQuery.current && data !== null;
    if (code.trim() === "" || isKnown) return;
    timer.current = setTimeout(() => {
      lastQuery.current = `${query}`;
      void load(`/promo/check?${query}`);
    }, milliseconds);
  }

  return {
    /** It may be about another code than is typed by now. */
    answer: data satisfies CodeAnswer | null | undefined,
    typed,
    type(code: string, tier: string) {
      lastQuery.current = "";
      setTyped({ code, tier });
      clearTimeout(timer.current);
      if (code.trim().length >= LEAST_LENGTH) lookIn(TYPING_PAUSE, code, tier);
    },
    leave: (code: string, tier: string) => lookIn(LEAVING_PAUSE, code, tier),
    choose(code: string, tier: string) {
      setTyped({ code, tier });
      lookIn(LEAVING_PAUSE, code, tier);
    },
    /** The form's own answer says more. */
    stop() {
      clearTimeout(timer.current);
      setTyped(null);
    },
  };
}
