import { useHydrated } from "./use-hydrated.ts";

const APPLE = { label: "⌘K", keys: "Meta+K" };
const ELSEWHERE = { label: "Ctrl K", keys: "Control+K" };

const isApple = () => /^(Mac|iP)/.test(navigator.platform);

/** Of this platform, known once React runs in the browser. */
export function useShortcut() {
  const isHydrated = useHydrated();
  if (!isHydrated) return null;
  return isApple() ? APPLE : ELSEWHERE;
}

/** ⌘K, or Ctrl K except on a Mac, where that cuts a line. */
export function isShortcut({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const isHeld = isApple() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return isHeld && !altKey && !shiftKey && key.toLowerCase() === "k";
}
