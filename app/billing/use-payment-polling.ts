import { useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { secondsToNextPoll } from "./confirm-polling.ts";

/**
 * Asks the page's loaders at growing intervals whether a payment is known, while the page waits for one.
 *
 * @param secondsWaited so far, as the server says
 * @returns whether it has stopped asking
 */
export function usePaymentPolling(secondsWaited: number): boolean {
  const { revalidate } = useRevalidator();
  const [hasStopped, setHasStopped] = useState(false);
  // The answer to a poll says again how long it has waited: what is planned goes on.
  const waitedAtFirst = useRef(secondsWaited);
  useEffect(() => {
    const since = Date.now();
    let timer: ReturnType<typeof setTimeout>;
    const waited = () => waitedAtFirst.current + (Date.now() - since) / 1000;
    const schedule = (seconds: number) => {
      timer = setTimeout(poll, seconds * 1000);
    };
    async function poll() {
      const isLast = secondsToNextPoll(waited()) === null;
      // A revalidation without a server would end in an error page.
      if (await isReachable()) await revalidate();
      if (isLast) setHasStopped(true);
      else schedule(secondsToNextPoll(waited()) ?? 0);
    }
    schedule(secondsToNextPoll(waited()) ?? 0);
    return () => clearTimeout(timer);
  }, [revalidate]);
  return hasStopped;
}

const isReachable = () =>
  fetch("/readyz").then(
    ({ ok }) => ok,
    () => false,
  );
