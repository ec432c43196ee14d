import { type RefObject, useEffect, useState } from "react";

/** Whether the browser is on its way to the document that answers a button's form. */
export function useIsLeaving(button: RefObject<HTMLButtonElement | null>): boolean {
  const [isLeaving, setIsLeaving] = useState(false);
  useEffect(() => {
    // On the window, which hears of it last: whoever sends the form in another way has prevented this one by then.
    function leave({ target, defaultPrevented }: SubmitEvent): void {
      if (!defaultPrevented && target === button.current?.form) setIsLeaving(true);
    }
    // Who comes back by history may find the page as it was left.
    const stay = () => setIsLeaving(false);
    window.addEventListener("submit", leave);
    window.addEventListener("pageshow", stay);
    return () => {
      window.removeEventListener("submit", leave);
      window.removeEventListener("pageshow", stay);
    };
  }, [button]);
  return isLeaving;
}
