import { useEffect, useState } from "react";
import { useRevalidator } from "react-router";
import { NoScriptRefresh } from "../ui/no-script-refresh.tsx";
import { Notice } from "../ui/notice.tsx";
import { useSite } from "../ui/site.ts";
import { secondsToNextLook } from "./confirm-pace.ts";

/**
 * Shown until the payment is known here. Looks again by itself, with or without JavaScript, less and less often; after
 * ten minutes it says so and leaves looking to the person.
 */
export function ConfirmingNotice({ secondsWaited }: { secondsWaited: number }) {
  const { supportEmail } = useSite();
  const hasStopped = useLooks(secondsWaited);
  const next = secondsToNextLook(secondsWaited);
  const support = <a href={`mailto:${supportEmail}`}>{supportEmail}</a>;
  if (next === null || hasStopped) {
    return (
      <Notice tone="plain">
        <p className="font-semibold">Your payment is not confirmed yet</p>
        <p>
          This is taking longer than usual. We keep checking, and your plan appears here once it is confirmed.
          Do not pay again. <a href="/dashboard">Check again</a>, or write to {support}.
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone="plain">
      <NoScriptRefresh seconds={next + 1} />
      <p className="font-semibold">Confirming your payment…</p>
      <p>
        Your plan appears here as soon as it is confirmed; this page looks again by itself, and you can leave
        it. Do not pay again. If it takes longer than a few minutes, write to {support}.
      </p>
    </Notice>
  );
}

/** Loads the page's data again from time to time. @returns whether it has stopped doing so */
function useLooks(secondsWaited: number): boolean {
  const { revalidate } = useRevalidator();
  const [hasStopped, setHasStopped] = useState(false);
  useEffect(() => {
    const since = Date.now();
    let timer: ReturnType<typeof setTimeout>;
    let isOver = false;

    function plan(): void {
      const next = secondsToNextLook(secondsWaited + (Date.now() - since) / 1000);
      if (next === null) setHasStopped(true);
      else timer = setTimeout(look, next * 1000);
    }

    async function look(): Promise<void> {
      // Asked first with a call that may fail: a network that is away for a moment must not cost the page.
      const isThere = await fetch("/healthz").then(
        (response) => response.ok,
        () => false,
      );
      if (isThere && !isOver) await revalidate();
      if (!isOver) plan();
    }

    plan();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [revalidate, secondsWaited]);
  return hasStopped;
}
