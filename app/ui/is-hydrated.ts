import { useSyncExternalStore } from "react";

const NEVER_CHANGES = () => () => {};

/** Whether scripts run this page: not in what the server sent. */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    NEVER_CHANGES,
    () => true,
    () => false,
  );
}
