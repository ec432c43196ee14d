import { useHydrated } from "./use-hydrated.ts";

/** Of this platform, known once React runs in the browser. */
export interface Shortcut {
  label: string;
  keys: string;
}

const APPLE: Shortcut = { label: "⌘K", keys: "Meta+K" };
const ELSEWHERE: Shortcut = { label: "Ctrl K", keys: "Control+K" };

const isApple = () => /^(Mac|iP)/.test(navigator.platform);

export function useShortcut(): Shortcut | null {
  const isHydrated = useHydrated();
  if (!isHydrated) return null;
  return isApple() ? APPLE : ELSEWHERE;
}

/** ⌘K, or Ctrl K except on a Mac, where that cuts a line. */
export function isShortcut({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const isHeld = isApple() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return isHeld && !altKey && !shiftKey && key.toLowerCase() === "k";
}
