import { useHydrated } from "./use-hydrated.ts";

/** What the key is called where somebody is: known once React runs in the browser, `null` before. */
export interface Shortcut {
  label: string;
  /** For `aria-keyshortcuts`. */
  keys: string;
}

const APPLE: Shortcut = { label: "⌘K", keys: "Meta+K" };
const ELSEWHERE: Shortcut = { label: "Ctrl K", keys: "Control+K" };

const isApple = () => /^(Mac|iP)/.test(navigator.platform);

/** The key that opens the search. */
export function useShortcut(): Shortcut | null {
  const isHydrated = useHydrated();
  if (!isHydrated) return null;
  return isApple() ? APPLE : ELSEWHERE;
}

/** Whether a press is that key: ⌘K, or Ctrl K where there is no ⌘, which on a Mac cuts a line. */
export function isShortcut({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const isHeld = isApple() ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return isHeld && !altKey && !shiftKey && key.toLowerCase() === "k";
}
