import { NoScriptRefresh } from "../ui/no-script-refresh.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { SupportLink } from "../ui/support-link.tsx";
import { secondsToNextPoll } from "./confirm-polling.ts";
import { usePaymentPolling } from "./use-payment-polling.ts";

/**
 * Shown until the payment is confirmed. Polls with or without JavaScript, less and less often; after ten minutes it says
 * so and leaves checking to the user.
 */
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
