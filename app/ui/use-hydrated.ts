import { useSyncExternalStore } from "react";

const never = () => () => {};

/** For what works only with scripts, such as a button with a handler and no form. */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
