import { type FormEvent, useEffect, useState } from "react";

/** For a plain form that leaves the page: whether it is under way, and what keeps it from being sent twice. */
export function useLeavingForm() {
  const [isPending, setPending] = useState(false);
  useEffect(() => {
    // The browser may keep the page as it was and show it again.
    const comeBack = () => setPending(false);
    addEventListener("pageshow", comeBack);
    return () => removeEventListener("pageshow", comeBack);
  }, []);
  return { isPending, onSubmit };

  function onSubmit(event: FormEvent): void {
    if (isPending) event.preventDefault();
    else setPending(true);
  }
}
