import { useEffect, useState } from "react";
import { useRevalidator } from "react-router";
import { NoScriptRefresh } from "../ui/no-script-refresh.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { SupportLink } from "../ui/support-link.tsx";

/** Shown until the payment is confirmed. Polls with or without JavaScript, less and less often, for ten minutes. */
export function ConfirmingNotice({ secondsWaited }: { secondsWaited: number }) {
  const hasStopped = usePaymentPolling(secondsWaited);
  const next = secondsToNextPoll(secondsWaited);
  if (next === null || hasStopped) return <StoppedNotice />;
  return (
    <Notice tone="plain">
      <NoScriptRefresh seconds={next + 1} />
      <p className="font-semibold">Confirming your payment…</p>
      <p>
        Your plan appears here as soon as it’s confirmed. This page keeps checking, and you can leave it.
        Please don’t pay again. If it takes more than a few minutes, email <SupportLink />.
      </p>
    </Notice>
  );
}

function StoppedNotice() {
  return (
    <Notice tone="plain">
      <p className="font-semibold">Your payment isn’t confirmed yet</p>
      <p>
        This is taking longer than usual. We’ll keep checking, and your plan appears here once it’s confirmed.
        Please don’t pay again. <PageLink href="/dashboard">Check again</PageLink>, or email <SupportLink />.
      </p>
    </Notice>
  );
}

function usePaymentPolling(secondsWaited: number): boolean {
  const { revalidate } = useRevalidator();
  const [hasStopped, setHasStopped] = useState(false);
  // Each poll's answer repeats the time waited; the schedule must not restart.
  const [waitedAtFirst] = useState(secondsWaited);
  useEffect(() => {
    const since = Date.now() - waitedAtFirst * 1000;
    const leaving = new AbortController();
    const { signal } = leaving;
    const secondsToNext = () => secondsToNextPoll((Date.now() - since) / 1000);
    const schedule = () => setTimeout(poll, (secondsToNext() ?? 0) * 1000);
    async function poll() {
      const isLast = secondsToNext() === null;
      // A revalidation without a server would end in an error page.
      const ready = await fetch("/readyz", { signal }).catch(() => null);
      if (ready?.ok) await revalidate();
      if (signal.aborted) return;
      if (isLast) setHasStopped(true);
      else schedule();
    }
    schedule();
    return () => leaving.abort();
  }, [revalidate, waitedAtFirst]);
  return hasStopped;
}

const STOP_AFTER_SECONDS = 10 * 60;
const MIN_SECONDS = 2;
const MAX_SECONDS = 30;

/** A quarter of the time waited so far, about thirty polls in all; `null`: stopped. */
function secondsToNextPoll(secondsWaited: number): number | null {
  if (secondsWaited >= STOP_AFTER_SECONDS) return null;
  return Math.min(Math.max(MIN_SECONDS, Math.round(secondsWaited / 4)), MAX_SECONDS);
}
