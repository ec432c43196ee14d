import { useEffect, useEffectEvent } from "react";

/** Calls `act` once, some seconds after each occasion. @param occasion identifies it, such as an answer; falsy: none */
export function useAfter(seconds: number, occasion: unknown, act: () => void): void {
  const onTime = useEffectEvent(act);
  useEffect(() => {
    if (!occasion) return;
    const timer = setTimeout(onTime, seconds * 1000);
    return () => clearTimeout(timer);
  }, [seconds, occasion]);
}
