import { useEffect, useEffectEvent } from "react";

/**
 * Does something once, some seconds after each occasion.
 *
 * @param occasion what it was, such as an answer; nothing while there is none
 */
export function useAfter(seconds: number, occasion: unknown, act: () => void): void {
  const onTime = useEffectEvent(act);
  useEffect(() => {
    if (!occasion) return;
    const timer = setTimeout(onTime, seconds * 1000);
    return () => clearTimeout(timer);
  }, [seconds, occasion]);
}
