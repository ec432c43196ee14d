import { type RefObject, useEffect, useState } from "react";

/** Whether the button's form has been submitted and the browser is loading the response as a document. */
export function useIsLeaving(button: RefObject<HTMLButtonElement | null>): boolean {
  const [isLeaving, setIsLeaving] = useState(false);
  useEffect(() => {
    // On the window, which is last to get the event: a script that sends the form itself has prevented it by then.
    function handleSubmit({ target, defaultPrevented }: SubmitEvent): void {
      if (!defaultPrevented && target === button.current?.form) setIsLeaving(true);
    }
    // Going back in history may restore the page from the bfcache.
    const handlePageShow = () => setIsLeaving(false);
    window.addEventListener("submit", handleSubmit);
    window.addEventListener("pageshow", handlePageShow);
    return () => {
      window.removeEventListener("submit", handleSubmit);
      window.removeEventListener("pageshow", handlePageShow);
    };
  }, [button]);
  return isLeaving;
}
