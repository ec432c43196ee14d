import { useEffect, useState } from "react";
import { useRevalidator } from "react-router";
import { NoScriptRefresh } from "../ui/no-script-refresh.tsx";
import { Notice } from "../ui/notice.tsx";
import { useSite } from "../ui/site.ts";
import { secondsToNextPoll } from "./confirm-polling.ts";

/**
 * Shown until the payment is confirmed. Polls with or without JavaScript, less and less often; after ten minutes it says
 * so and leaves checking to the user.
 */
export function ConfirmingNotice({ secondsWaited }: { secondsWaited: number }) {
  const { supportEmail } = useSite();
  const hasStopped = usePolling(secondsWaited);
  const next = secondsToNextPoll(secondsWaited);
  const support = <a href={`mailto:${supportEmail}`}>{supportEmail}</a>;
  if (next === null || hasStopped) {
    return (
      <Notice tone="plain">
        <p className="font-semibold">Your payment isn’t confirmed yet</p>
        <p>
          This is taking longer than usual. We’ll keep checking, and your plan appears here once it’s
          confirmed. Please don’t pay again. <a href="/dashboard">Check again</a>, or email {support}.
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone="plain">
      <NoScriptRefresh seconds={next + 1} />
      <p className="font-semibold">Confirming your payment…</p>
      <p>
        Your plan appears here as soon as it’s confirmed. This page keeps checking, and you can leave it.
        Please don’t pay again. If it takes more than a few minutes, email {support}.
      </p>
    </Notice>
  );
}

/** Revalidates the page's data at growing intervals. @returns whether it has stopped */
function usePolling(secondsWaited: number): boolean {
  const { revalidate } = useRevalidator();
  const [hasStopped, setHasStopped] = useState(false);
  useEffect(() => {
    const since = Date.now();
    let timer: ReturnType<typeof setTimeout>;
    let isCancelled = false;

    function schedule(): void {
      const next = secondsToNextPoll(secondsWaited + (Date.now() - since) / 1000);
      if (next === null) setHasStopped(true);
      else timer = setTimeout(poll, next * 1000);
    }

    async function poll(): Promise<void> {
      // Probed first, because a revalidation that fails replaces the page with the error page.
      const isReachable = await fetch("/healthz").then(
        (response) => response.ok,
        () => false,
      );
      if (isReachable && !isCancelled) await revalidate();
      if (!isCancelled) schedule();
    }

    schedule();
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  }, [revalidate, secondsWaited]);
  return hasStopped;
}
