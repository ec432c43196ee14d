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
  const next = secondsToNextPoll(secondsWaited);
  const support = <a href={`mailto:${supportEmail}`}>{supportEmail}</a>;
  if (next === null) {
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
      <span hidden data-waited={secondsWaited} />
      <p className="font-semibold">Confirming your payment…</p>
      <p>
        Your plan appears here as soon as it’s confirmed. This page keeps checking, and you can leave it.
        Please don’t pay again. If it takes more than a few minutes, email {support}.
      </p>
    </Notice>
  );
}
