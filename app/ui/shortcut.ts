import { useHydrated } from "./use-hydrated.ts";

/** The shortcut's key on this platform, known once React runs in the browser; `null` before. */
export interface Shortcut {
  label: string;
  /** For `aria-keyshortcuts`. */
  keys: string;
}

const APPLE: Shortcut = { label: "⌘K", keys: "Meta+K" };
const ELSEWHERE: Shortcut = { label: "Ctrl K", keys: "Control+K" };

const isApple = () => /^(Mac|iP)/.test(navigator.platform);

/** The shortcut that opens the search. */
export function useShortcut(): Shortcut | null {
  const isHydrated = useHydrated();
  if (!isHydrated) return null;
  return isApple() ? APPLE : ELSEWHERE;
}

/** Whether a key press is the shortcut: ⌘K, or Ctrl K except on a Mac, where that cuts a line. */
export function isShortcut({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const isHeld = isApple() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return isHeld && !altKey && !shiftKey && key.toLowerCase() === "k";
}
