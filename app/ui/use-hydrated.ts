import { useSyncExternalStore } from "react";

const never = () => () => {};

/** Whether React runs in the browser by now: for what works only there, such as a button with a handler and no form. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
